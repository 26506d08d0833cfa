import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { type Domain, quietUri } from './domain.ts';
import { faultFrom, notInstalled, notInTime } from './faults.ts';

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

/** Runs one virsh command to its end and gives what it said. */
export const virsh = (uri: string, args: readonly string[], signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) throw notInTime(signal);
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
    child.once('error', (error) => reject(notInstalled(error)));
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      if (code === 0) resolve(said);
      else reject(signal.aborted ? notInTime(signal) : faultFrom(args[0] ?? '', complaint));
    });
  });

/** Runs a command of virsh on a domain. */
export const onDomain = (
  { uri, name }: Domain,
  command: string,
  signal: AbortSignal,
  ...options: readonly string[]
): Promise<string> => virsh(uri, [command, ...options, '--domain', name], signal);

/** Paused, crashed or shutting down is on, as a machine with a stuck system is. */
export const isOff = async (domain: Domain, signal: AbortSignal): Promise<boolean> =>
  (await stateOf(domain, signal)) === 'shut off';

/** In the words of virsh: "running", "paused", "shut off" and so on. */
export const stateOf = async (domain: Domain, signal: AbortSignal): Promise<string> =>
  (await onDomain(domain, 'domstate', signal)).trim();
