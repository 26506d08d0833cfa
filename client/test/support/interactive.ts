import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { programFile } from '../../../test/support/built-program.ts';
import { keys, type Session, type Terminal } from './terminal.ts';

/** An interactive shell in which `corral` is the real command and its completion is set up. */
export interface InteractiveShell {
  /** The line as the shell has completed it, after a tab. */
  completed(line: string): Promise<string>;
  /** What the shell offers where there is more than one way to go on. */
  offered(line: string): Promise<readonly string[]>;
}

/** A directory with `corral` in it, for PATH. */
export const installCorral = async (home: string): Promise<string> => {
  const bin = join(home, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'corral'), `#!/bin/sh\nexec "${process.execPath}" "${programFile('corral')}" "$@"\n`);
  await chmod(join(bin, 'corral'), 0o755);
  return bin;
};

const clearLine = '\u0015';
const prompt = '>> ';
const setUp = {
  bash: [
    `bind 'set bell-style none' 'set show-all-if-ambiguous on' 'set page-completions off' 'set completion-query-items 0'`,
    'source <(corral completion bash)',
  ],
  zsh: ['autoload -Uz compinit && compinit -u -D', 'unsetopt beep list_beep', 'source <(corral completion zsh)'],
} as const;

export const interactiveShell = async (terminal: Terminal, shell: 'bash' | 'zsh'): Promise<InteractiveShell> => {
  const bin = await installCorral(terminal.home);
  const script = `PATH="${bin}:$PATH" PS1='${prompt}' exec ${shell} ${shell === 'bash' ? '--norc --noprofile' : '-f'} -i`;
  const session = terminal.run('/bin/sh', ['-c', script]);
  await session.shows(prompt.trimEnd());
  for (const [index, line] of [...setUp[shell], 'clear -x; echo set up'].entries()) {
    session.type(`${line}${keys.enter}`);
    if (index === setUp[shell].length) await session.shows(/^set up$/m);
  }
  // What is typed before the shell reads again is shown by the terminal, and is in the shell's way.
  await isAtPrompt(session);
  return {
    completed: async (line) => {
      session.type(`${clearLine}${line}${keys.tab}`);
      return settledLine(session, line);
    },
    offered: async (line) => {
      const before = session.screen().length;
      session.type(`${clearLine}${line}${keys.tab}${keys.tab}`);
      await settledLine(session, line);
      return session.screen().slice(before).split(/\s+/);
    },
  };
};

/** The last line, once nothing is added to it any more: a mark typed behind it is answered after the tab is. */
const settledLine = async (session: Session, line: string): Promise<string> => {
  const mark = '@@';
  session.type(mark);
  await expect.poll(() => session.screen().includes(mark), { timeout: 20_000, interval: 10 }).toBe(true);
  const last =
    session
      .screen()
      .split('\n')
      .findLast((text) => text.includes(mark)) ?? line;
  session.type(clearLine);
  await isAtPrompt(session);
  return last.slice(prompt.length, last.indexOf(mark));
};

const isAtPrompt = (session: Session): Promise<void> =>
  expect
    .poll(() => session.screen().split('\n').at(-1)?.trimEnd(), { timeout: 20_000, interval: 10 })
    .toBe(prompt.trimEnd());
