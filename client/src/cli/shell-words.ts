/** A command line as far as it was typed, taken apart as bash does it. */
export interface ShellLine {
  /** Without quotes and backslashes; the last one is being typed. */
  readonly words: readonly string[];
  /** The quotes that are still open at the end. */
  readonly quote: '' | "'" | '"';
  /** What of the last word is before the part that readline replaces: it takes `:` and `=` for ends of words. */
  readonly kept: string;
}

const wordEnds = ':=@';

/** Takes a line apart. */
export const shellLineOf = (line: string): ShellLine => {
  const words: string[] = [];
  let word: string | null = null;
  let quote: ShellLine['quote'] = '';
  let kept = '';
  for (let index = 0; index < line.length; index += 1) {
    const letter = line[index] ?? '';
    if (quote === '' && /\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
      kept = '';
    } else if (letter === quote) {
      quote = '';
    } else if (quote === '' && (letter === "'" || letter === '"')) {
      quote = letter;
      word ??= '';
      kept = word;
    } else if (letter === '\\' && quote !== "'" && (quote === '' || /["\\$`]/.test(line[index + 1] ?? ''))) {
      word = (word ?? '') + (line[(index += 1)] ?? '');
    } else {
      word = (word ?? '') + letter;
      if (quote === '' && wordEnds.includes(letter)) kept = word;
    }
  }
  return { words: [...words, word ?? ''], quote, kept };
};

/** A word as it has to stand in place of what was typed of it. */
export const typedAs = (word: string, { quote, kept }: ShellLine): string => {
  const rest = word.slice(kept.length);
  if (quote === "'") return rest.replaceAll("'", `'\\''`);
  if (quote === '"') return rest.replaceAll(/["\\$`]/g, '\\$&');
  return rest.replaceAll(/[^\p{L}\p{N}\p{M}_.,:=@%+/-]/gu, '\\$&');
};
