import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { programFile } from '../../../../test/support/built-program.ts';
import { eventually } from './world.ts';

/** A service that stops itself with SIGSTOP when it is told to. */
export interface StoppingProgram {
  readonly url: string;
  readonly pid: number;
  /** What it wrote to its log. */
  readonly log: readonly string[];
  /** It is to stop at the nth moment from now on, of all or of this name; 0: at none. */
  arm(count: number, moment?: string): Promise<void>;
  /** Where it stopped since it was armed; null: it has not. */
  stoppedAt(): string | null;
  isStopped(): Promise<boolean>;
  stop(): void;
  go(): void;
  kill(): Promise<void>;
}

export const startStoppingProgram = async (env: Readonly<Record<string, string>>): Promise<StoppingProgram> => {
  const child = spawn(process.execPath, [programFile('stopping-service')], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const log: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  let stoppedAt: string | null = null;
  let armed = 0;
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const ready = /^ready at (http:\/\/[^/\s]+)/.exec(line)?.[1];
      if (ready !== undefined) resolve(ready);
      if (line === 'armed') armed += 1;
      stoppedAt = /^stops (.*)$/.exec(line)?.[1] ?? stoppedAt;
    });
    ended.then(() => reject(new Error(`the program ended before it was ready: ${log.join('\n')}`)), reject);
  });
  const pid = child.pid ?? 0;
  return {
    url,
    pid,
    log,
    arm: async (count, moment) => {
      const before = armed;
      stoppedAt = null;
      child.stdin.write(`${count}${moment === undefined ? '' : ` ${moment}`}\n`);
      await eventually(() => (armed > before ? true : undefined));
    },
    stoppedAt: () => stoppedAt,
    isStopped: async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ')[2] === 'T',
    stop: () => process.kill(pid, 'SIGSTOP'),
    go: () => process.kill(pid, 'SIGCONT'),
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
};
