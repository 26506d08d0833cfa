import { type Credentials, type DeviceCode, deviceLogin, UnreachableError } from '../index.ts';
import type { CommandContext } from './cli-command.ts';
import { exitCodes } from './exit-codes.ts';
import { StoppedError } from './usage-error.ts';

/** Where a service lets command lines log in. */
export interface Device {
  readonly issuer: string;
  readonly audience: string;
  readonly clientId: string;
  readonly scopes: string;
}

/** Shows a code and where to enter it, and waits until somebody did. Opens no browser: the one to use may be elsewhere. */
export const credentialsByDevice = async (
  context: CommandContext,
  endpoint: string,
  device: Device,
): Promise<Credentials> => {
  const { output, terminal, signal } = context;
  const shown: { progress: ReturnType<typeof output.progress> | null } = { progress: null };
  try {
    return await deviceLogin({
      ...device,
      signal,
      onCode: (code) => {
        terminal.output.write(output.style.shown(invitation(code, endpoint, output.style)));
        shown.progress = output.progress('waiting for the login in the browser; Ctrl-C cancels it');
      },
    });
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    const hint = `${endpoint} uses this identity provider; ask its operator whether the provider is down`;
    throw new StoppedError(error.message, { code: exitCodes.unreachable, hint });
  } finally {
    shown.progress?.stop();
  }
};

/** On the other output than results, as questions are. */
const invitation = (code: DeviceCode, endpoint: string, style: CommandContext['output']['style']): string => {
  const { userCode, verificationUri, verificationUriComplete, expiresAt } = code;
  const minutes = Math.max(1, Math.round((expiresAt.getTime() - Date.now()) / 60_000));
  return [
    `To log in at ${endpoint}, open this page in a browser on any machine:`,
    '',
    `    ${style.bold(verificationUri)}`,
    '',
    'and enter this code there:',
    '',
    `    ${style.bold(userCode)}`,
    '',
    ...(verificationUriComplete === null ? [] : [style.dim(`Link that contains the code: ${verificationUriComplete}`)]),
    style.dim(`The code is valid for ${minutes} min. Enter only a code that you requested yourself.`),
    '',
    '',
  ].join('\n');
};
