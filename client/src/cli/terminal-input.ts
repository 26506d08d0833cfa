import { StringDecoder } from 'node:string_decoder';
import { InterruptedError, UsageError } from './usage-error.ts';
import { printable } from './printable.ts';
import { widthOf } from './table.ts';

/** Where requests go. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/**
 * Asks for one line, and reads it letter by letter. What was typed ahead is left for the next question: a password that
 * is pasted together with a name is not shown with it.
 */
export const askLine = (
  { input, output, signal }: Terminal,
  question: string,
  answer: 'shown' | 'hidden',
): Promise<string> =>
  new Promise((resolve, reject) => {
    const decoder = new StringDecoder('utf8');
    let line: readonly string[] = [];
    const leave = (): void => {
      input.off('data', hear).off('end', hangUp).off('error', hangUp).pause().setRawMode(false);
      signal.removeEventListener('abort', interrupt);
      output.write('\n');
    };
    const fail = (error: Error): void => {
      leave();
      reject(error);
    };
    const interrupt = (): void => fail(new InterruptedError('interrupted'));
    const hangUp = (): void => fail(new UsageError('nothing was entered'));
    const hear = (chunk: Buffer): void => {
      const text = decoder.write(chunk);
      for (const { 0: key, index } of text.matchAll(oneKey)) {
        if (key === '\u0003') return interrupt();
        if (key === '\u0004' && line.length === 0) return hangUp();
        if (key === '\r' || key === '\n') {
          leave();
          const ahead = text.slice(index + 1);
          if (ahead !== '') input.unshift(Buffer.from(ahead));
          return resolve(line.join(''));
        }
        const next = edited(line, key);
        if (answer === 'shown') output.write(difference(line, next));
        line = next;
      }
    };
    // Before the question is shown, so that an immediate answer is not echoed either.
    input.setRawMode(true);
    output.write(`${printable(question)}: `);
    input.on('data', hear).once('end', hangUp).once('error', hangUp).resume();
    signal.addEventListener('abort', interrupt, { once: true });
    if (signal.aborted) interrupt();
  });

/** A letter, or what a key sends that stands for no letter. */
// eslint-disable-next-line no-control-regex -- such keys begin with a control character
const oneKey = /\u001b(?:\[[\d;]*[ -/]*[@-~]|O.|.)?|./gsu;

const edited = (line: readonly string[], key: string): readonly string[] => {
  if (key === '\u007f' || key === '\b') return line.slice(0, -1);
  if (key === '\u0015') return [];
  return key < ' ' ? line : [...line, key];
};

/** What makes the one line of the other on a terminal: letters are only added or removed at the end. */
const difference = (before: readonly string[], after: readonly string[]): string => {
  const removed = before.slice(after.length).reduce((columns, letter) => columns + widthOf(letter), 0);
  return '\b \b'.repeat(removed) + after.slice(before.length).join('');
};
