import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A process under measurement, stopped by its id when the measurement is over. */
export interface Measured {
  readonly url: string;
  readonly child: ChildProcess;
  readonly readyMs: number;
  /** Resident memory in MB. */
  memory(): number;
  /** Processor time so far, in ms, of all its processes. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/**
 * Starts a program and waits for the line in which it says where it listens. `ipc`: it can be sent messages. `under`: a
 * command that becomes the program.
 */
export const startProgram = async (
  args: readonly string[],
  env: Record<string, string>,
  channel: 'ipc' | 'ignore' = 'ignore',
  under: readonly string[] = [],
): Promise<Measured> => {
  const started = performance.now();
  const [command = process.execPath, ...rest] = [...under, process.execPath, ...args];
  const child = spawn(command, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', channel],
  });
  const url = await firstUrl(child);
  return {
    url,
    child,
    readyMs: performance.now() - started,
    memory: () => residentMb(child.pid ?? 0),
    cpuMs: () => processorMs(child.pid ?? 0),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
};

const firstUrl = async (child: ChildProcess): Promise<string> => {
  if (!child.stdout) throw new Error('the program has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /ready at (http:\/\/[^/\s]+)/.exec(line)?.[1];
    if (url !== undefined) {
      child.stdout.resume();
      return url;
    }
  }
  throw new Error('the program ended before it was ready');
};

const residentMb = (pid: number): number => {
  const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return (Number(pages) * 4096) / 1024 / 1024;
};

/**
 * Processor time of a process and of those that it started, in ms. The kernel counts in hundredths of a second; what has
 * ended counts for its parent.
 */
export const processorMs = (parent: number): number => {
  let hundredths = 0;
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? fieldsOf(name) : [];
    const times = fields.slice(11, 15).map(Number);
    if (Number(name) === parent) hundredths += sum(times);
    else if (Number(fields[1]) === parent) hundredths += sum(times.slice(0, 2));
  }
  return hundredths * 10;
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** What the kernel tells of a process, from its state on; nothing if it has just ended. */
const fieldsOf = (pid: string): string[] => {
  try {
    return (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ');
  } catch {
    return [];
  }
};
