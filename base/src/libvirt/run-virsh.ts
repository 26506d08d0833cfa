import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { quietUri } from './libvirt-uri.ts';
import { VirshError } from './virsh-error.ts';

/** What virsh knows of our environment: where programs are, and where the keys for SSH. */
export const environment = (): Record<string, string> => ({
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: homedir(),
  LC_ALL: 'C',
});

/** Ends a process with all that it started (virsh starts ssh); both are in a group of their own. */
export const endGroup = (pid: number | undefined): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
};

/** Runs one virsh command to its end and gives what it said; a VirshError if it fails. */
export const virsh = (uri: string, args: readonly string[], signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const command = args[0] ?? '';
    const late = (): VirshError => new VirshError('late', command, '', { cause: signal.reason });
    if (signal.aborted) throw late();
    const child = spawn('virsh', ['-c', quietUri(uri), '--quiet', ...args], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let said = '';
    let complaint = '';
    const stop = (): void => endGroup(child.pid);
    signal.addEventListener('abort', stop, { once: true });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    child.once('error', (cause) => reject(new VirshError('missing', command, '', { cause })));
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      if (code === 0) resolve(said);
      else reject(signal.aborted ? late() : new VirshError('failed', command, complaint));
    });
  });

/** Hands a text over to a command that reads a file. It may have passwords in it, so that nobody else may read it. */
export const withFile = async <T>(text: string, work: (file: string) => Promise<T>): Promise<T> => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-virsh-'));
  try {
    const file = join(directory, 'definition.xml');
    await writeFile(file, text, { mode: 0o600 });
    return await work(file);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};
