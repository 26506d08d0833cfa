import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = join(root, 'node_modules/typescript/bin/tsc');

type Settings = Readonly<Record<string, string>>;

/** A program of ours as a process, which can be killed. */
export interface Program {
  readonly url: string;
  readonly pid: number;
  readonly output: readonly string[];
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/** How tests build and run the program of a workspace. */
export interface Programs {
  /** Builds it as `npm start` does; nothing to do is done quickly. */
  readonly build: () => Promise<void>;
  readonly startProgram: (env: Settings) => Promise<Program>;
  /** Runs it to its end, for those that are not to start. */
  readonly runToEnd: (env: Settings) => Promise<{ readonly code: number | null; readonly output: string }>;
}

type Workspace = 'service' | 'obmd' | 'client';
const builds = new Map<Workspace, Promise<unknown>>();

/** Builds a workspace and what it needs, as the scripts of package.json do, once in a process. */
export const buildWorkspace = async (workspace: Workspace): Promise<void> => {
  const build =
    builds.get(workspace) ??
    promisify(execFile)(process.execPath, [compiler, '-b', workspace, '--noCheck'], { cwd: root });
  builds.set(workspace, build);
  await build;
};

export const programOf = (workspace: 'service' | 'obmd'): Programs => {
  const main = join(root, workspace, 'dist/main.js');
  return {
    build: () => buildWorkspace(workspace),
    startProgram: async (env) => {
      const { child, output } = run(main, env);
      const url = await Promise.race([ready(child, output), ended(child, output)]);
      return {
        url,
        pid: child.pid ?? 0,
        output,
        kill: async (signal) => {
          if (child.exitCode === null && child.signalCode === null) {
            child.kill(signal);
            await once(child, 'exit');
          }
          return child.exitCode;
        },
      };
    },
    runToEnd: async (env) => {
      const { child, output } = run(main, env);
      await once(child, 'close');
      return { code: child.exitCode, output: output.join('\n') };
    },
  };
};

const run = (main: string, env: Settings): { child: ChildProcess; output: string[] } => {
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
      const url = /(?:is ready|manages its nodes\)) at (https?:\/\/[^/\s]+)/.exec(output.join('\n'))?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', () => setImmediate(look));
  });

const ended = async (child: ChildProcess, output: readonly string[]): Promise<never> => {
  await once(child, 'close');
  throw new Error(`the program ended before it was ready: ${output.join('\n')}`);
};
