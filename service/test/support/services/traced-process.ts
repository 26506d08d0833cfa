import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** What a running process asks of its system, seen from outside. */
export interface TracedProcess {
  /** Stops tracing, and gives one line for each call or part of one, in their order. */
  end(): Promise<readonly string[]>;
}

/** Traces these system calls of a process and its threads. `inject`: how strace changes some of them. */
export const traceProcess = async (
  pid: number,
  calls: readonly string[],
  { file, inject }: { readonly file: string; readonly inject?: string },
): Promise<TracedProcess> => {
  const child = spawn(
    'strace',
    [
      ...['-f', '-y', '-s', '5000', '-o', file, '-p', String(pid), '-e', `trace=${calls.join(',')}`],
      ...(inject === undefined ? [] : ['-e', `inject=${inject}`]),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const exit = once(child, 'exit');
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes('attached')) break;
    throw new Error(line);
  }
  child.stderr.resume();
  return {
    end: async () => {
      child.kill('SIGINT');
      await exit;
      return (await readFile(file, 'utf8')).split('\n');
    },
  };
};
