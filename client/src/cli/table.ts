const gap = '  ';

/** Lines of a table: those of its heading, and the others. */
interface Layout {
  readonly heading: readonly string[];
  readonly lines: readonly string[];
}

/**
 * Rows of cells under headings, in columns that fit into `width` characters; null: as wide as it takes. Cells are
 * wrapped between words. Where even the longest words do not fit beside each other, each row is shown as lines of
 * heading and cell: nothing is cut.
 */
export const layOut = (
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | null,
): Layout => {
  const widest = (measure: (cell: string) => number): number[] =>
    headings.map((heading, column) =>
      rows.reduce((most, row) => Math.max(most, measure(row[column] ?? '')), measure(heading)),
    );
  const widths = fitting(widest(widthOf), width === null ? null : { room: width, least: widest(longestWord) });
  if (widths === null) return stacked(headings, rows, width ?? Infinity);
  const line = (cells: readonly string[]): readonly string[] => {
    const wrapped = widths.map((most, column) => wrap(cells[column] ?? '', most));
    const height = Math.max(1, ...wrapped.map(({ length }) => length));
    return Array.from({ length: height }, (_, index) =>
      wrapped
        .map((lines, column) => padded(lines[index] ?? '', widths[column] ?? 0))
        .join(gap)
        .trimEnd(),
    );
  };
  return { heading: line(headings), lines: rows.flatMap(line) };
};

/** Takes from the widest columns what is too much, as long as their words fit; null: they do not. */
const fitting = (
  widths: readonly number[],
  limits: { readonly room: number; readonly least: readonly number[] } | null,
): readonly number[] | null => {
  const fitted = [...widths];
  if (limits === null) return fitted;
  const room = limits.room - gap.length * (widths.length - 1);
  for (let over = sum(fitted) - room; over > 0; over -= 1) {
    const spare = fitted.map((width, column) => (width > (limits.least[column] ?? 0) ? width : 0));
    const widest = spare.indexOf(Math.max(...spare));
    if ((spare[widest] ?? 0) === 0) return null;
    fitted[widest] = (fitted[widest] ?? 0) - 1;
  }
  return fitted;
};

/** Each row as a paragraph of headings and cells. */
const stacked = (headings: readonly string[], rows: readonly (readonly string[])[], width: number): Layout => {
  const longest = Math.max(0, ...headings.map(widthOf));
  const lines = rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...headings.flatMap((heading, column) =>
      wrap(row[column] ?? '', width - longest - gap.length).map((line, at) =>
        `${padded(at === 0 ? heading : '', longest)}${gap}${line}`.trimEnd(),
      ),
    ),
  ]);
  return { heading: [], lines };
};

const longestWord = (text: string): number => text.split(' ').reduce((most, word) => Math.max(most, widthOf(word)), 0);

/** A text as lines of at most so many columns, broken between words only: a word that is longer has a line of its own. */
export const wrap = (text: string, width: number): readonly string[] => {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  let room = width;
  for (const word of text.split(' ').filter((one) => one !== '')) {
    const taken = widthOf(word) + (line === '' ? 0 : 1);
    if (line !== '' && taken > room) {
      lines.push(line);
      [line, room] = [word, width - widthOf(word)];
    } else {
      line = line === '' ? word : `${line} ${word}`;
      room -= taken;
    }
  }
  return [...lines, line];
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** A text that takes at most so many columns; … stands for what is left out. */
export const shortened = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  const letters: string[] = [];
  let room = width - 1;
  for (const letter of lettersOf(text)) {
    room -= widthOf(letter);
    if (room < 0) break;
    letters.push(letter);
  }
  return `${letters.join('')}…`;
};

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** East Asian letters, and emoji that are shown as such, take two columns of a terminal. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
/** Marks without a letter, and what is not shown, take none. */
const unseen = /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}]+$/u;

const widthOfLetter = (letter: string): number => {
  if (unseen.test(letter)) return 0;
  return wide.test(letter) ? 2 : 1;
};

/** How many columns of a terminal a text takes. */
export const widthOf = (text: string): number =>
  isPlain(text) ? text.length : sum(lettersOf(text).map(widthOfLetter));

/**
 * Letters as a person counts them. What knows them takes a time that grows with the square of the length (1 s for
 * 16,000 letters), so it is given little at once; the last letter of a piece may go on in the next.
 */
const lettersOf = (text: string): string[] => {
  if (isPlain(text)) return Array.from(text);
  const known = (segmenter ??= new Intl.Segmenter());
  const letters: string[] = [];
  for (const piece of text.match(/.{1,256}/gsu) ?? [])
    letters.push(...[...known.segment(`${letters.pop() ?? ''}${piece}`)].map(({ segment }) => segment));
  return letters;
};

/** Made when it is needed: that takes 18 ms, which plain text need not wait for. */
let segmenter: Intl.Segmenter | undefined;
const isPlain = (text: string): boolean => /^[\u0020-\u007e]*$/.test(text);
