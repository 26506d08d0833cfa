import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { expect, onTestFinished } from 'vitest';
import { programFile } from '../../../test/support/built-program.ts';
import { screenOf } from './terminal-screen.ts';
import { wordsOf } from './shell.ts';

type Environment = Readonly<Record<string, string>>;

/** A command that runs in a terminal, as somebody sees it who sits before it. */
export interface Session {
  /** Everything that was written to the terminal, with all that moves the cursor. */
  readonly written: () => string;
  /** What can be read there now. */
  readonly screen: () => string;
  readonly type: (keys: string) => void;
  /** Waits until this can be read on the screen. */
  readonly shows: (text: string | RegExp) => Promise<void>;
  /** Ends the program without asking it; what it has started loses its terminal. */
  readonly kill: () => void;
  /** Waits for its end; the exit code. */
  readonly exit: () => Promise<number>;
}

/** A terminal of somebody with a home of their own. */
export interface Terminal {
  readonly home: string;
  /** Runs `corral` with these words. */
  corral(line: string, options?: { readonly env?: Environment; readonly columns?: number }): Session;
  /** Runs another program. */
  run(program: string, args: readonly string[], options?: { readonly columns?: number }): Session;
}

export const keys = { enter: '\r', interrupt: '\u0003', end: '\u0004', backspace: '\u007f', tab: '\t' } as const;

/** A real terminal; whatever still runs in it when the test is over is ended. */
export const terminalForTest = async (env: Environment = {}): Promise<Terminal> => {
  const home = await mkdtemp(join(tmpdir(), 'corral-terminal-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const own = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    ...env,
  };
  return {
    home,
    corral: (line, { env: more = {}, columns = 80 } = {}) =>
      start(process.execPath, [programFile('corral'), ...wordsOf(line)], { ...own, ...more }, columns),
    run: (program, args, { columns = 80 } = {}) => start(program, args, own, columns),
  };
};

/*
 * When a program ends, node-pty waits 200 ms for its last output and drops the rest, which on a busy machine is what a
 * test looks for. So the program's shell writes a mark behind everything, and stays until the mark was read.
 */
const endMark = '\u001b]ended;';
const markedScript = `trap : INT; "$@"; printf '\\033]ended;%d;' $?; exec sleep 60`;

const start = (program: string, args: readonly string[], env: Environment, columns: number): Session => {
  const marked = ['-c', markedScript, 'sh', program, ...args];
  const pty = spawn('/bin/sh', marked, { name: 'xterm-256color', cols: columns, rows: 50, env: { ...env } });
  let written = '';
  let isOver = false;
  const gone = new Promise<void>((resolve) => pty.onExit(() => resolve()));
  const over = new Promise<number>((resolve) => {
    const end = (code: number): void => {
      isOver = true;
      resolve(code);
    };
    pty.onData((data) => {
      written += data;
      // It may come in two pieces.
      const at = written.indexOf(endMark, written.length - data.length - 2 * endMark.length);
      const code = /^(\d+);/.exec(at < 0 ? '' : written.slice(at + endMark.length))?.[1];
      if (code === undefined) return;
      written = written.slice(0, at);
      end(Number(code));
      pty.kill('SIGKILL');
    });
    pty.onExit(({ exitCode }) => end(exitCode));
  });
  onTestFinished(async () => {
    if (!isOver) pty.kill('SIGKILL');
    await gone;
  });
  const screen = () => screenOf(written, columns).join('\n').trimEnd();
  return {
    written: () => written,
    screen,
    type: (text) => pty.write(text),
    shows: async (text) => {
      const expected: unknown = typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);
      await expect.poll(screen, { timeout: 20_000, interval: 10 }).toEqual(expected);
    },
    kill: () => pty.kill('SIGKILL'),
    exit: () => over,
  };
};
