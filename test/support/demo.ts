import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundle, programFile } from './built-program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readyWithinMs = 60_000;
const stopWithinMs = 30_000;

/** Builds what the demo consists of; quick when nothing changed. */
export const build = async (): Promise<void> => {
  bundle(['corral-service', 'corral']);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-b', 'lab', '--noCheck'], {
    cwd: root,
    timeout: 150_000,
  });
};

/** Runs `corral` as ada, and gives what it printed. */
export const corral = async (origin: string, words: readonly string[]): Promise<string> => {
  const env = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    CORRAL_ENDPOINT: origin,
    CORRAL_USERNAME: 'ada',
    CORRAL_PASSWORD: 'ada-demo',
  };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [programFile('corral'), ...words], {
    env,
    timeout: 30_000,
  });
  return stdout + stderr;
};

/** A demo that runs as a process of its own, in a directory of its own. */
export interface Demo {
  readonly origin: string;
  /** Everything it printed until it was ready. */
  readonly output: string;
  /** Sends the signal; answers with the exit code. */
  stop(signal: 'SIGINT' | 'SIGTERM'): Promise<number | null>;
  /** Ends it in any case, and removes what it left. */
  remove(): Promise<void>;
}

export const startDemo = async (): Promise<Demo> => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-demo-'));
  // What is set for somebody's own installation must not reach the demo's.
  const env = { ...process.env, CORRAL_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const child = spawn(process.execPath, [join(root, 'lab/dist/demo.js'), '--port', '0'], { cwd: directory, env });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return within(stopWithinMs, exit, 'the demo did not stop');
  };
  const remove = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) await stop('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const output = await within(readyWithinMs, outputOf(child), 'the demo was not ready');
    const origin = /^Ready after .*: (http\S+)$/m.exec(output)?.[1] ?? '';
    return { origin, output, stop, remove };
  } catch (error) {
    await remove();
    throw error;
  }
};

const outputOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const heard = (chunk: Buffer): void => {
      text += chunk.toString();
      if (text.includes('Ctrl-C stops it.')) resolve(text);
    };
    child.stdout?.on('data', heard);
    child.stderr?.on('data', heard);
    child.once('exit', (code) => reject(new Error(`the demo ended with ${String(code)}:\n${text}`)));
  });

const within = async <T>(ms: number, work: Promise<T>, complaint: string): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${complaint} within ${ms / 1000} s`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};
