import { unlessAborted } from '@corral/base/abort';
import type { Outbound } from '@corral/base/http/outbound';
import type { ClientChannel } from 'ssh2';
import { connectSsh, gaveUp } from '../ssh-connection.ts';
import type { SshLogin } from '../ssh-login.ts';

/** A shell on a switch. */
export interface SshShell {
  readonly channel: ClientChannel;
  /** Ends it at once, whatever the other side does. */
  end(): void;
  /** The same, and what was not delivered yet is never sent. */
  reset(): void;
}

/** Wide enough that no device wraps what it echoes. */
const terminal = { term: 'vt100', cols: 511, rows: 512 };

/** Opens a shell on the switch; `broken` is called when the line fails later on. */
export const openShell = async (
  login: SshLogin,
  signal: AbortSignal,
  outbound: Outbound | null,
  broken: (error: Error) => void,
): Promise<SshShell> => {
  const { client, reset } = await connectSsh(login, signal, outbound);
  const end = (): void => {
    client.end();
    client.destroy();
  };
  const opened = () =>
    new Promise<ClientChannel>((resolve, reject) => {
      client.once('close', () => reject(new Error('the switch closed the connection before its first prompt')));
      client.shell(terminal, (error, shell) =>
        error ? reject(new Error(`the switch offers no command line: ${error.message}`)) : resolve(shell),
      );
    }).catch((error: unknown) => {
      reset();
      throw error;
    });
  const channel = await unlessAborted(opened, signal, gaveUp('waiting for the command line of the switch', reset));
  client.on('error', (error) => broken(new Error(`the connection to the switch failed: ${error.message}`)));
  client.on('close', () => broken(new Error('the connection to the switch was lost')));
  channel.on('close', () => broken(new Error('the switch closed the session')));
  return { channel, end, reset };
};
