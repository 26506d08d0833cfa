import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { basic, type Calls, type Credentials, none, NotFoundError } from '../index.ts';
import type { ParsedArguments, Option, CommandContext } from './cli-command.ts';
import { credentialsByDevice, type Device } from './device-credentials.ts';
import { UsageError } from './usage-error.ts';
import { ask } from './prompts.ts';

type Methods = Calls['showAuthMethods']['reply'];

/** A token, and what it is called at the service if it was made for this. */
interface Held {
  readonly token: string;
  readonly tokenName?: string;
}

const day = 86_400;
const usualDays = '90';

export const loginOptions: Readonly<Record<string, Option>> = {
  username: { value: 'USER', about: 'user name; prompts for it if not given' },
  'password-file': { value: 'FILE', about: 'file with the password; - for standard input' },
  'token-file': { value: 'FILE', about: 'file with an existing token; - for standard input' },
  device: { about: 'log in at the identity provider of the service, with a browser on any machine' },
};

export const daysOption: Option = { value: 'N', about: `how long the token lasts; default ${usualDays}` };

/** A token for the login: an existing one, or a new one that is made with their password or at the provider. */
export const tokenFor = async (context: CommandContext, parsed: ParsedArguments, endpoint: string): Promise<Held> => {
  const file = parsed.option('token-file');
  if (file !== undefined) return { token: await context.secret('the token', file) };
  const credentials = await credentialsFor(context, parsed, endpoint);
  const tokenName = newTokenName();
  const { token } = await context.corralAs(endpoint, credentials).tokenCreate({
    token: tokenName,
    expires_in: secondsOf(parsed),
  });
  return { token, tokenName };
};

/** With a password, unless the service knows none. */
const credentialsFor = async (
  context: CommandContext,
  parsed: ParsedArguments,
  endpoint: string,
): Promise<Credentials> => {
  const isDevice = parsed.flag('device');
  const hasUser = parsed.option('username') !== undefined || parsed.option('password-file') !== undefined;
  if (isDevice && hasUser) throw new UsageError('--device takes no user name, password or token; leave them out');
  if (hasUser) return byPassword(context, parsed, endpoint);
  const methods = await methodsAt(context, endpoint);
  const device = deviceIn(methods);
  const isChosen = isDevice || (methods?.basic === false && context.terminal.input.isTTY);
  if (isChosen && device !== null) return credentialsByDevice(context, endpoint, device);
  if (isDevice) {
    throw new UsageError(
      `${endpoint} does not support login with --device: its operator has not set oidc.device_client_id; log in with --username or --token-file`,
    );
  }
  if (methods?.basic === false) {
    throw new UsageError(
      `${endpoint} does not support passwords; log in with --token-file${device === null ? '' : ', or with --device'}`,
    );
  }
  return byPassword(context, parsed, endpoint);
};

/** Credentials of the user of a token: a token cannot create another. */
export const credentialsAgain = async (
  context: CommandContext,
  parsed: ParsedArguments,
  endpoint: string,
  name: string,
): Promise<Credentials> => {
  const device = name.startsWith('oidc:') ? deviceIn(await methodsAt(context, endpoint)) : null;
  if (device !== null) return credentialsByDevice(context, endpoint, device);
  return withPassword(context, parsed, endpoint, name);
};

const byPassword = async (context: CommandContext, parsed: ParsedArguments, endpoint: string): Promise<Credentials> => {
  const username = parsed.option('username') ?? (await ask(context.terminal, 'user name'));
  return withPassword(context, parsed, endpoint, username);
};

const withPassword = async (
  context: CommandContext,
  parsed: ParsedArguments,
  endpoint: string,
  username: string,
): Promise<Credentials> =>
  basic(username, await context.secret(`password of ${username} at ${endpoint}`, parsed.option('password-file')));

/** null: the service does not report it. */
const methodsAt = async (context: CommandContext, endpoint: string): Promise<Methods | null> =>
  context
    .corralAs(endpoint, none)
    .showAuthMethods()
    .catch((error: unknown) => {
      if (error instanceof NotFoundError) return null;
      throw error;
    });

const deviceIn = (methods: Methods | null): Device | null => {
  if (!methods?.oidc?.device) return null;
  const { issuer, audience, device } = methods.oidc;
  return { issuer, audience, clientId: device.client_id, scopes: device.scopes };
};

/** Its name shows its origin: the user and machine that it was made on, and when. Many may log in at once. */
const newTokenName = (): string => {
  const when = new Date().toISOString().slice(0, 19).replace('T', ' ');
  return `corral login of ${userHere()} on ${hostname()}, ${when}, ${randomBytes(3).toString('hex')}`;
};

/** A user id may have no name: that of a container, often. */
const userHere = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
};

/** How long a token is to last. */
export const secondsOf = (parsed: ParsedArguments): number => {
  const days = Number(parsed.option('days') ?? usualDays);
  if (!(days > 0)) throw new UsageError('--days takes a number above 0');
  return Math.ceil(days * day);
};
