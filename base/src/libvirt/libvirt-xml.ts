import { type Element, parseXml as parse } from '../xml.ts';

/** The one element of a text of libvirt's. */
export const parseXml = (text: string): Element => {
  try {
    return parse(text);
  } catch (error) {
    throw new Error('libvirt returned invalid XML', { cause: error });
  }
};

/** Puts a text in place of what stands from `start` to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with edits that do not overlap. */
export const edited = (text: string, edits: readonly Edit[]): string => {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, text: put } of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    pieces.push(text.slice(at, start), put);
    at = end;
  }
  return [...pieces, text.slice(at)].join('');
};
