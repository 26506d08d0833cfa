import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));

/** Builds the daemon; nothing to do is done quickly. */
export const build = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, [compiler, '-b', 'obmd', '--noCheck'], { cwd: root });
};

/** The daemon as a process of its own, which can be killed. */
export interface Program {
  readonly url: string;
  readonly output: readonly string[];
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

type Settings = Readonly<Record<string, string>>;

export const startProgram = async (env: Settings): Promise<Program> => {
  const { child, output } = run(env);
  const url = await Promise.race([ready(child, output), ended(child, output)]);
  return {
    url,
    output,
    kill: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, 'exit');
      }
      return child.exitCode;
    },
  };
};

/** Runs the program to its end, for those that are not to start. */
export const runToEnd = async (env: Settings): Promise<{ code: number | null; output: string }> => {
  const { child, output } = run(env);
  await once(child, 'close');
  return { code: child.exitCode, output: output.join('\n') };
};

const run = (env: Settings): { child: ChildProcess; output: string[] } => {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => output.push(line));
  return { child, output };
};

const ready = (child: ChildProcess, output: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const look = (): void => {
      const url = /ready at (https?:\/\/[^/\s]+)/.exec(output.join('\n'))?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', () => setImmediate(look));
  });

const ended = async (child: ChildProcess, output: readonly string[]): Promise<never> => {
  await once(child, 'close');
  throw new Error(`the program ended before it was ready: ${output.join('\n')}`);
};
