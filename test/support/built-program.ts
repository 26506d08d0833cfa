import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
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
  /** Waits until it ends by itself. */
  exitCode(): Promise<number | null>;
}

/** How tests run a program. */
export interface Programs {
  readonly startProgram: (env: Settings) => Promise<Program>;
  /** Runs it to its end, for those that are not to start. */
  readonly runToEnd: (env: Settings) => Promise<{ readonly code: number | null; readonly output: string }>;
}

const bundler = join(root, 'scripts/bundle.mjs');
const bundles = {
  'corral-service': 'service/dist/corral-service.js',
  'corral-admin': 'service/dist/corral-admin.js',
  'corral-obmd': 'obmd/dist/corral-obmd.js',
  corral: 'client/dist/cli/corral.js',
  'dying-service': 'service/dist/dying-service.js',
  'stepping-rotation': 'service/dist/stepping-rotation.js',
  'stopping-service': 'service/dist/stopping-service.js',
} as const;
type ProgramName = keyof typeof bundles;

const current = new Set<ProgramName>();

/** Bundles programs as `npm start` does; nothing to do is done quickly. */
export const bundle = (names: readonly ProgramName[]): void => {
  execFileSync(process.execPath, [bundler, ...names], { stdio: 'pipe' });
  for (const name of names) current.add(name);
};

/** The file of a program, which is bundled first if its sources have changed. */
export const programFile = (name: ProgramName): string => {
  if (!current.has(name)) bundle([name]);
  return join(root, bundles[name]);
};

/** Compiles the SDK, module by module, as it is installed. */
export const buildSdk = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, [compiler, '-b', 'client', '--noCheck'], { cwd: root });
};

/** How a program is started: by which command, and where. */
interface Launch {
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly path: string | undefined;
}

const programsBy = (launch: () => Launch): Programs => ({
  startProgram: async (env) => {
    const { child, output } = run(launch(), env);
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
      exitCode: async () => {
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        return child.exitCode;
      },
    };
  },
  runToEnd: async (env) => {
    const { child, output } = run(launch(), env);
    await once(child, 'close');
    return { code: child.exitCode, output: output.join('\n') };
  },
});

export const programOf = (name: 'corral-service' | 'corral-obmd'): Programs =>
  programsBy(() => ({ command: [process.execPath, programFile(name)], path: process.env['PATH'] }));

/** A program that is found by its name, with its arguments, and run in a directory. */
export const installedProgram = (command: readonly [string, ...string[]], path: string, cwd: string): Programs =>
  programsBy(() => ({ command, path, cwd }));

const run = ({ command, cwd, path }: Launch, env: Settings): { child: ChildProcess; output: string[] } => {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { PATH: path, ...env },
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
