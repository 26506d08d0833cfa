import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keep } from './children.ts';
import { freePort } from './free-port.ts';
import { newKeyPair } from './ssh-server.ts';

/** A real sshd on loopback that lets one key in and runs one program for it. */
export interface Sshd {
  readonly port: number;
  readonly username: string;
  readonly privateKey: string;
  /** As `SHA256:…`. */
  readonly fingerprint: string;
  stop(): Promise<void>;
}

const patienceMs = 10_000;

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
  const child = keep(spawn('/usr/sbin/sshd', ['-D', '-e', '-f', at('sshd_config')], { stdio: 'ignore' }));
  child.once('error', () => undefined);
  const last = Date.now() + patienceMs;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > last) throw new Error('sshd does not start');
    await sleep(10);
  }
  const blob = host.publicKey.split(' ')[1] ?? '';
  return {
    port,
    username: userInfo().username,
    privateKey: user.privateKey,
    fingerprint: `SHA256:${createHash('sha256').update(blob, 'base64').digest('base64').replace(/=+$/, '')}`,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill();
      await ended;
    },
  };
};

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
