/** Something that reads text which others wrote. */
export interface Parser {
  readonly name: string;
  /** May throw: that is a way to be done, too. */
  readonly read: (text: string) => unknown;
  /** What its texts are made of, to be repeated. */
  readonly units?: readonly string[];
  /** It does not matter to it what signs there are: the usual ones need not be tried. */
  readonly isIndifferent?: boolean;
  /** What stands before and after what is repeated, so that the parser gets that far. */
  readonly around?: readonly (readonly [string, string])[];
  /** How much it is given, if not the usual. */
  readonly longest?: number;
  /** How much of its own units, where it makes much of each: a port that carries all VLANs. */
  readonly longestOwn?: number;
}

/** What makes parsers and patterns think again: spaces, ends of lines, openings without an end, digits, separators. */
export const usualUnits: readonly string[] = [
  ...[' ', '\n', '\r', '\t', 'a', '1', ',', '-', ':', ';', '=', '/', '.', '%', '&', '(', '[', '{', '<', '"', "'", '\\'],
  ...['a ', 'a\n', ' \n', '\r\n', '1,', '1-4,', 'a:', 'a=', '<a>', '<a ', '<!--', '&a', '&lt;', '[1,', '{"a":', '"a",'],
  ...['\u001b[', '\b', '\u0000', '\u200d', '\ud83d', '# ', '!\n'],
];

/** Feeds a reader of streams a text in small pieces. */
export const inPieces = (text: string, take: (piece: string) => unknown, size = 64): void => {
  for (let at = 0; at < text.length; at += size) take(text.slice(at, at + size));
};
