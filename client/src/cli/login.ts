import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { basic, type Calls, type Credentials, none, NotFoundError } from '../index.ts';
import type { Given, Option, Scene } from './command.ts';
import { credentialsByDevice, type Device } from './device.ts';
import { UsageError } from './mistake.ts';
import { ask } from './prompt.ts';

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
export const tokenFor = async (scene: Scene, given: Given, endpoint: string): Promise<Held> => {
  const file = given.option('token-file');
  if (file !== undefined) return { token: await scene.secret('the token', file) };
  const credentials = await credentialsFor(scene, given, endpoint);
  const tokenName = newTokenName();
  const { token } = await scene.corralAs(endpoint, credentials).tokenCreate({
    token: tokenName,
    expires_in: secondsOf(given),
  });
  return { token, tokenName };
};

/** With a password, unless the service knows none. */
const credentialsFor = async (scene: Scene, given: Given, endpoint: string): Promise<Credentials> => {
  const isDevice = given.flag('device');
  const hasUser = given.option('username') !== undefined || given.option('password-file') !== undefined;
  if (isDevice && hasUser) throw new UsageError('--device takes no user name, password or token; leave them out');
  if (hasUser) return byPassword(scene, given, endpoint);
  const methods = await methodsAt(scene, endpoint);
  const device = deviceIn(methods);
  const isChosen = isDevice || (methods?.basic === false && scene.person.input.isTTY);
  if (isChosen && device !== null) return credentialsByDevice(scene, endpoint, device);
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
  return byPassword(scene, given, endpoint);
};

/** Credentials of the user of a token: a token cannot create another. */
export const credentialsAgain = async (
  scene: Scene,
  given: Given,
  endpoint: string,
  name: string,
): Promise<Credentials> => {
  const device = name.startsWith('oidc:') ? deviceIn(await methodsAt(scene, endpoint)) : null;
  if (device !== null) return credentialsByDevice(scene, endpoint, device);
  return withPassword(scene, given, endpoint, name);
};

const byPassword = async (scene: Scene, given: Given, endpoint: string): Promise<Credentials> => {
  const username = given.option('username') ?? (await ask(scene.person, 'user name'));
  return withPassword(scene, given, endpoint, username);
};

const withPassword = async (scene: Scene, given: Given, endpoint: string, username: string): Promise<Credentials> =>
  basic(username, await scene.secret(`password of ${username} at ${endpoint}`, given.option('password-file')));

/** null: the service does not report it. */
const methodsAt = async (scene: Scene, endpoint: string): Promise<Methods | null> =>
  scene
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
export const secondsOf = (given: Given): number => {
  const days = Number(given.option('days') ?? usualDays);
  if (!(days > 0)) throw new UsageError('--days takes a number above 0');
  return Math.ceil(days * day);
};
