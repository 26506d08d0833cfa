/** Notes that the text of a setting is invalid; of a list, which entry. */
export type NoteWrong = (problem?: { readonly entry?: string; readonly expected?: string }) => void;

/** How the text of a setting becomes a value. */
export interface ValueType<T> {
  /** What is accepted, for the sentence about a mistake. */
  readonly expected: string;
  /** Returns something after a mistake too, so that the other mistakes are found. */
  readonly parse: (text: string, wrong: NoteWrong) => T;
  /** It is never shown. */
  readonly isSecret?: true;
  /** In the file it may be written as a list. */
  readonly isList?: true;
}

/** Any text. */
export const text: ValueType<string> = { expected: 'a text', parse: (given) => given };

/** The same, and never shown. */
export const secret: ValueType<string> = { ...text, isSecret: true };

/** A text that passes a test. */
export const textThat = (fits: (given: string) => boolean, expected: string): ValueType<string> => ({
  expected,
  parse: (given, wrong) => {
    if (!fits(given)) wrong();
    return given;
  },
});

const numberOf = (given: string): number => (given.trim() === '' ? Number.NaN : Number(given));

const numberThat = (
  fits: (value: number) => boolean,
  valueOf: (value: number) => number,
  expected: string,
): ValueType<number> => ({
  expected,
  parse: (given, wrong) => {
    const value = numberOf(given);
    if (fits(value)) return valueOf(value);
    wrong();
    return 0;
  },
});

/** A whole number. `unit`: what one of it is worth. */
export const whole = (least: number, most: number, unit = 1): ValueType<number> =>
  numberThat(
    (value) => Number.isInteger(value) && value >= least && value <= most,
    (value) => value * unit,
    `a whole number from ${least} to ${most}`,
  );

/** A time in seconds, as milliseconds. */
export const seconds = (most = 3600): ValueType<number> =>
  numberThat(
    (value) => value >= 0.05 && value <= most,
    (value) => 1000 * value,
    `seconds from 0.05 to ${most}`,
  );

/** The same; 0 switches the thing off. */
export const secondsOrNever = (most: number): ValueType<number> =>
  numberThat(
    (value) => value === 0 || (value >= 0.05 && value <= most),
    (value) => 1000 * value,
    `seconds from 0.05 to ${most}, or 0`,
  );

/** One of a few words. */
export const oneOf = <T extends string>(...choices: readonly [T, ...T[]]): ValueType<T> => ({
  expected: choices.join(' or '),
  parse: (given, wrong) => {
    const choice = choices.find((candidate) => candidate === given);
    if (choice === undefined) wrong();
    return choice ?? choices[0];
  },
});

/** Whether something is switched on. */
export const flag: ValueType<boolean> = {
  expected: 'false or true',
  parse: (given, wrong) => {
    if (given !== 'true' && given !== 'false') wrong();
    return given === 'true';
  },
};

const entriesOf = (given: string): string[] =>
  given
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Words with commas between them, made into something. */
export const listOf = <T>(
  expected: string,
  make: (entries: readonly string[], wrong: NoteWrong) => T,
): ValueType<T> => ({
  expected,
  parse: (given, wrong) => make(entriesOf(given), wrong),
  isList: true,
});

/** Words with commas between them. */
export const list = listOf('a list', (entries) => entries);
