import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { readFile } from 'node:fs/promises';
import { text as wholeOf } from 'node:stream/consumers';
import { UsageError } from './mistake.ts';

/** Whom to ask. */
export interface Person {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

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
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
};

const askHidden = async ({ input, output }: Person, what: string): Promise<string> => {
  if (!input.isTTY)
    throw new UsageError(`${what} is needed, and there is no terminal to ask for it; give it in a file`);
  output.write(`${what}: `);
  // What is typed is echoed to nowhere.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  try {
    return await untilClosed(lines, lines.question(''));
  } finally {
    lines.close();
    output.write('\n');
  }
};

/** A line that is shown while it is typed. */
export const ask = async ({ input, output }: Person, question: string): Promise<string> => {
  if (!input.isTTY) throw new UsageError(`${question}: there is no terminal to ask this; give it as an option`);
  const lines = createInterface({ input, output });
  try {
    return (await untilClosed(lines, lines.question(`${question}: `))).trim();
  } finally {
    lines.close();
  }
};

/** Ctrl-C and Ctrl-D end the question, and with it the command. */
const untilClosed = (lines: ReturnType<typeof createInterface>, answer: Promise<string>): Promise<string> =>
  Promise.race([
    answer,
    new Promise<never>((_, reject) => lines.once('close', () => reject(new UsageError('nothing was entered')))),
  ]);
