import { readFile } from 'node:fs/promises';
import { text as wholeOf } from 'node:stream/consumers';
import { askLine, type Terminal } from './terminal-input.ts';
import { UsageError } from './usage-error.ts';
import { unreadable } from './read-error.ts';

/** A secret from a file (`-`: standard input), or asked for on the terminal without showing it. */
export const askSecret = async (terminal: Terminal, what: string, file?: string): Promise<string> => {
  const parsed = file === undefined ? await askHidden(terminal, what) : await readSecret(terminal, file);
  if (parsed === '') throw new UsageError(`${what} is empty`);
  return parsed;
};

const readSecret = async (terminal: Terminal, file: string): Promise<string> => {
  try {
    const text = file === '-' ? await wholeOf(terminal.input) : await readFile(file, 'utf8');
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(unreadable(file, error));
  }
};

const askHidden = async (terminal: Terminal, what: string): Promise<string> => {
  if (!terminal.input.isTTY)
    throw new UsageError(`${what} is required, and there is no terminal to prompt for it; give it in a file`);
  return askLine(terminal, what, 'hidden');
};

/** A line that is shown while it is typed. */
export const ask = async (terminal: Terminal, question: string): Promise<string> => {
  if (!terminal.input.isTTY)
    throw new UsageError(`${question}: there is no terminal to prompt for it; give it as an option`);
  return (await askLine(terminal, question, 'shown')).trim();
};

/** A yes or a no; `option` says yes where there is nobody to ask. */
export const confirm = async (terminal: Terminal, question: string, option: string): Promise<boolean> => {
  if (!terminal.input.isTTY) throw new UsageError(`${question} There is no terminal to ask; use ${option}`);
  return /^y(es)?$/i.test(await ask(terminal, `${question} [y/N]`));
};
