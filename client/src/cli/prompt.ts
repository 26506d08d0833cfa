import { readFile } from 'node:fs/promises';
import { text as wholeOf } from 'node:stream/consumers';
import { askLine, type Person } from './line.ts';
import { UsageError } from './mistake.ts';
import { unreadable } from './unreadable.ts';

/** A secret from a file (`-`: standard input), or asked for on the terminal without showing it. */
export const askSecret = async (person: Person, what: string, file?: string): Promise<string> => {
  const given = file === undefined ? await askHidden(person, what) : await readSecret(person, file);
  if (given === '') throw new UsageError(`${what} is empty`);
  return given;
};

const readSecret = async (person: Person, file: string): Promise<string> => {
  try {
    const text = file === '-' ? await wholeOf(person.input) : await readFile(file, 'utf8');
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(unreadable(file, error));
  }
};

const askHidden = async (person: Person, what: string): Promise<string> => {
  if (!person.input.isTTY)
    throw new UsageError(`${what} is required, and there is no terminal to prompt for it; give it in a file`);
  return askLine(person, what, 'hidden');
};

/** A line that is shown while it is typed. */
export const ask = async (person: Person, question: string): Promise<string> => {
  if (!person.input.isTTY)
    throw new UsageError(`${question}: there is no terminal to prompt for it; give it as an option`);
  return (await askLine(person, question, 'shown')).trim();
};

/** A yes or a no; `option` says yes where there is nobody to ask. */
export const confirm = async (person: Person, question: string, option: string): Promise<boolean> => {
  if (!person.input.isTTY) throw new UsageError(`${question} There is no terminal to ask; use ${option}`);
  return /^y(es)?$/i.test(await ask(person, `${question} [y/N]`));
};
