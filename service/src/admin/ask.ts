import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { ConfigError } from '@corral/base/config/config-error';
import type { Invocation } from './command.ts';

/** Who is asked, and where the question is shown. */
type Asked = Pick<Invocation, 'input' | 'terminal'>;

/** A line that is not shown while it is typed. `otherwise` says what to do where nobody can be asked. */
export const askHidden = async (asked: Asked, what: string, otherwise: string): Promise<string> => {
  requireSomebody(asked, `${what}:`, otherwise);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = createInterface({ input: asked.input, output: nowhere, terminal: true });
  // Not before what is typed goes to readline: it would be shown.
  asked.terminal.err(`${what}: `);
  try {
    return await answered(line, '');
  } finally {
    asked.terminal.err('\n');
  }
};

/** A yes or a no. */
export const confirmed = async (asked: Asked, question: string, otherwise: string): Promise<boolean> => {
  requireSomebody(asked, question, otherwise);
  const shown = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      asked.terminal.err(chunk.toString());
      done();
    },
  });
  const line = createInterface({ input: asked.input, output: shown, terminal: true });
  return /^y(es)?$/i.test(await answered(line, `${question} [y/N] `));
};

const requireSomebody = ({ input }: Asked, question: string, otherwise: string): void => {
  if (!input.isTTY) throw new ConfigError([`there is no terminal to ask "${question}"; ${otherwise}`]);
};

const answered = async (line: Interface, question: string): Promise<string> => {
  const closed = new Promise<never>((_, reject) => {
    // Ctrl-C and Ctrl-D.
    line.once('close', () => reject(new ConfigError(['nothing was entered; nothing was changed'])));
  });
  try {
    return await Promise.race([line.question(question), closed]);
  } finally {
    closed.catch(() => undefined);
    line.close();
  }
};
