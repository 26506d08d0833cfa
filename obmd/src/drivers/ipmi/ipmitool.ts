import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { cannotStart, faultFrom, stillWanted } from './ipmi-faults.ts';
import type { IpmiTarget } from './ipmi-target.ts';

/** Three tries, of 1, 2 and 3 seconds: a BMC that is gone is given up after 12 seconds (measured), deadline or not. */
const retryArguments = ['-N', '1', '-R', '3'];

/** `-v` makes ipmitool tell a wrong password from a BMC that does not answer. More of them would print keys. */
const argumentsFor = (target: IpmiTarget, command: readonly string[]): string[] => [
  ...['-I', 'lanplus', '-C', String(target.cipher), '-L', target.privilege.toUpperCase()],
  ...['-H', target.addr, '-p', String(target.port), '-U', target.user, '-E', ...retryArguments, '-v'],
  ...command,
];

/** Starts ipmitool. The password is only in its environment, which nobody but its own user can read. */
export const startTool = (target: IpmiTarget, command: readonly string[]): ChildProcessWithoutNullStreams =>
  spawn(target.program, argumentsFor(target, command), {
    cwd: '/',
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      LC_ALL: 'C',
      IPMITOOL_PASSWORD: target.pass,
    },
  });

/**
 * Runs ipmitool to its end and gives what it printed. It is gone when this settles, also when the signal ends it.
 * `proof` has to be among what it prints, for commands that end with 0 also when they fail.
 */
export const runTool = async (
  target: IpmiTarget,
  command: readonly string[],
  signal: AbortSignal,
  proof = '',
): Promise<string> => {
  stillWanted(signal);
  const child = startTool(target, command);
  const kill = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    child.stdin.on('error', () => undefined).end();
    let [printed, complaint] = ['', ''];
    child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString('latin1')));
    child.stderr.on('data', (bytes: Buffer) => (complaint += bytes.toString('latin1')));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (error) => reject(cannotStart(error)));
      child.once('close', resolve);
    });
    stillWanted(signal);
    if (code !== 0 || !printed.includes(proof)) throw faultFrom(command.join(' '), complaint);
    return printed;
  } finally {
    signal.removeEventListener('abort', kill);
  }
};
