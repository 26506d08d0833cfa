import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { end, startDaemon } from './child-processes.ts';
import { freePort, isListening } from '../listen-loopback.ts';
import { fingerprintOf, newKeyPair } from './ssh-server.ts';

/** A real sshd on loopback that lets one key in and runs one program for it. */
export interface Sshd {
  readonly port: number;
  readonly username: string;
  readonly privateKey: string;
  /** As `SHA256:…`. */
  readonly fingerprint: string;
  stop(): Promise<void>;
}

/** Starts one whose files are in this directory; `program` and its arguments must not need quoting. */
export const startSshd = async (directory: string, program: string): Promise<Sshd> => {
  const [host, user, port] = [newKeyPair(), newKeyPair(), await freePort()];
  const at = (file: string): string => join(directory, file);
  await writeFile(at('host_key'), host.privateKey, { mode: 0o600 });
  await writeFile(at('authorized_keys'), `${user.publicKey}\n`, { mode: 0o600 });
  await writeFile(
    at('sshd_config'),
    [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${at('host_key')}`,
      `AuthorizedKeysFile ${at('authorized_keys')}`,
      'PidFile none',
      'UsePAM no',
      'StrictModes no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'PrintMotd no',
      'PrintLastLog no',
      `ForceCommand ${program}`,
      '',
    ].join('\n'),
  );
  // Where sshd keeps the processes that have no rights yet; it does not start without it.
  await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const child = await startDaemon('/usr/sbin/sshd', ['-D', '-e', '-f', at('sshd_config')], () => isListening({ port }));
  return {
    port,
    username: userInfo().username,
    privateKey: user.privateKey,
    fingerprint: fingerprintOf(host.publicKey),
    stop: () => end(child),
  };
};
