import { oneLine } from '../device-text.ts';

/** One line of a block; a nested one belongs to a block inside it, and says nothing about the port itself. */
interface SectionLine {
  readonly text: string;
  readonly isNested: boolean;
}

/** One `interface` block of a running configuration. */
export interface Section {
  readonly name: string;
  readonly lines: readonly SectionLine[];
}

/** What else stands at the first column of an answer, beside `interface …`, comments and empty lines. */
export interface AnswerForm {
  /** Lines around the blocks: a heading, `end`. */
  readonly around: readonly RegExp[];
  /** The answer is a whole configuration: blocks of other kinds are left out, each behind a `!`. */
  readonly isWhole?: true;
}

/** An answer with something in it that does not belong there, a log message above all. It is to be asked for again. */
export class UnusableAnswer extends Error {
  constructor(line: string) {
    super(`the switch wrote "${oneLine(line)}" in the middle of its answer`);
  }
}

/**
 * The `interface` blocks in a running configuration, or in a part of one. A line that does not belong there is never
 * taken for the end of a block: what follows it would be lost.
 */
export const interfaceSections = (text: string, form: AnswerForm): readonly Section[] =>
  sectionsIn(text, /^interface (.+)$/, form);

/** The blocks that begin with a line like this, whose first group is their name. */
export const sectionsIn = (text: string, head: RegExp, { around, isWhole }: AnswerForm): readonly Section[] => {
  const sections: { name: string; raw: string[] }[] = [];
  let at: 'outside' | 'port' | 'other' = 'outside';
  for (const line of text.split('\n')) {
    const name = head.exec(line)?.[1];
    if (line.trim() === '') continue;
    if (name !== undefined) {
      sections.push({ name: name.trim(), raw: [] });
      at = 'port';
    } else if (/^\s/.test(line)) {
      if (at === 'outside') throw new UnusableAnswer(line);
      if (at === 'port') sections.at(-1)?.raw.push(line);
    } else if (line.startsWith('!') || around.some((pattern) => pattern.test(line))) at = 'outside';
    else if (isWhole && at !== 'port') at = 'other';
    else throw new UnusableAnswer(line);
  }
  return sections.map(({ name, raw }) => ({ name, lines: linesOf(raw) }));
};

/** Lines are as deep as the first, or inside another one; a block that begins deeper than it goes on is not understood. */
const linesOf = (raw: readonly string[]): readonly SectionLine[] => {
  const depth = raw.reduce((least, line) => Math.min(least, indentOf(line)), Infinity);
  const isRagged = indentOf(raw[0] ?? '') !== depth;
  return raw
    .map((line) => ({ text: line.trim(), isNested: isRagged || indentOf(line) !== depth }))
    .filter(({ text }) => !text.startsWith('!'));
};

const indentOf = (line: string): number => line.length - line.trimStart().length;
