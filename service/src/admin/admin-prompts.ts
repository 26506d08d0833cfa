import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { ConfigError } from '@corral/base/config/config-error';
import type { Invocation } from './admin-command.ts';

/** Who is asked, and where the question is shown. */
type PromptTarget = Pick<Invocation, 'input' | 'terminal'>;

/**
 * Lines that are not shown while they are typed, which may be ahead of the questions. `otherwise` says what to do where
 * nobody can be asked.
 */
export const askHidden = async (
  prompt: PromptTarget,
  whats: readonly string[],
  otherwise: string,
): Promise<string[]> => {
  requireSomebody(prompt, `${whats[0] ?? ''}:`, otherwise);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = createInterface({ input: prompt.input, output: nowhere, terminal: true });
  const typed = line[Symbol.asyncIterator]();
  const answers: string[] = [];
  try {
    for (const what of whats) {
      // Not before what is typed goes to readline: it would be shown.
      prompt.terminal.err(`${what}: `);
      const answer = await typed.next().finally(() => prompt.terminal.err('\n'));
      if (answer.done === true) throw nothingEntered();
      answers.push(answer.value);
    }
    return answers;
  } finally {
    line.close();
  }
};

/** A yes or a no. */
export const confirm = async (prompt: PromptTarget, question: string, otherwise: string): Promise<boolean> => {
  requireSomebody(prompt, question, otherwise);
  const shown = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      prompt.terminal.err(chunk.toString());
      done();
    },
  });
  const line = createInterface({ input: prompt.input, output: shown, terminal: true });
  return /^y(es)?$/i.test(await answered(line, `${question} [y/N] `));
};

const requireSomebody = ({ input }: PromptTarget, question: string, otherwise: string): void => {
  if (input.isTTY !== true) throw new ConfigError([`there is no terminal to ask "${question}"; ${otherwise}`]);
};

const nothingEntered = (): ConfigError => new ConfigError(['nothing was entered; nothing was changed']);

const answered = async (line: Interface, question: string): Promise<string> => {
  const closed = new Promise<never>((_, reject) => {
    // Ctrl-C and Ctrl-D.
    line.once('close', () => reject(nothingEntered()));
  });
  try {
    return await Promise.race([line.question(question), closed]);
  } finally {
    closed.catch(() => undefined);
    line.close();
  }
};
