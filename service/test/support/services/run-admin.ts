import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { programFile } from '../../../../test/support/built-program.ts';
import { runAdmin as run } from '../../../src/admin/run-admin.ts';

type Env = Readonly<Record<string, string>>;

/** corral-admin as a process. */
export interface Admin {
  readonly output: () => string;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

export const watched = (child: ChildProcess): Admin => {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return {
    output: () => output,
    ended: once(child, 'close').then(() => child.exitCode ?? child.signalCode),
    kill: (signal) => child.kill(signal),
  };
};

/** Starts it. What is to come on its standard input is given; by default that is over at once. */
export const startAdmin = (env: Env, args: readonly string[], input = ''): Admin => {
  const child = spawn(process.execPath, [programFile('corral-admin'), ...args], {
    env: { PATH: process.env['PATH'], ...env },
  });
  child.stdin.on('error', () => undefined).end(input);
  return watched(child);
};

/** Runs it to its end, and expects it to be done. */
export const runAdminSuccessfully = async (env: Env, ...args: readonly string[]): Promise<string> => {
  const { code, output } = await runAdmin(env, ...args);
  expect(code, output).toBe(0);
  return output;
};

/**
 * May a program run within this process, where it need not take a second to start? Not on SQLite: what has to have a
 * file to itself keeps it until its process ends.
 */
export const canRunHere = ({ CORRAL_DATABASE_URL: url = '' }: Env): boolean => url.startsWith('postgres');

/** Runs it to its end. */
export const runAdmin = async (env: Env, ...args: readonly string[]): Promise<{ code: unknown; output: string }> => {
  // A copy may be one into a file.
  if (!canRunHere(env) || args[0] === 'copy') {
    const { output, ended } = startAdmin(env, args);
    return { code: await ended, output: output() };
  }
  let output = '';
  const write = (text: string): void => void (output += text);
  const code = await run(args, env, { out: write, err: write, isLive: false }, Readable.from([]));
  return { code, output };
};
