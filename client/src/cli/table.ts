const gap = '  ';
const narrowest = 6;

/** Rows of cells under headings, in columns that fit into `width` characters; null: as wide as it takes. */
export const layOut = (
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | null,
): { readonly heading: string; readonly lines: readonly string[] } => {
  const widths = fitting(
    headings.map((heading, column) =>
      rows.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), widthOf(heading)),
    ),
    width,
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => padded(shortened(cell, widths[column] ?? 0), widths[column] ?? 0))
      .join(gap)
      .trimEnd();
  return { heading: line(headings), lines: rows.map(line) };
};

/** Takes from the widest columns what is too much. */
const fitting = (widths: readonly number[], width: number | null): readonly number[] => {
  const fitted = [...widths];
  if (width === null) return fitted;
  const room = width - gap.length * (widths.length - 1);
  for (let over = sum(fitted) - room; over > 0; over -= 1) {
    const widest = fitted.indexOf(Math.max(...fitted));
    if ((fitted[widest] ?? 0) <= narrowest) break;
    fitted[widest] = (fitted[widest] ?? 0) - 1;
  }
  return fitted;
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
