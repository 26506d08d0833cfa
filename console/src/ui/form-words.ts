import { labelWithin } from './device-labels.ts';

/** Who refused it may stand before the place of the mistake. */
const at = (place: string, rest: string): RegExp => new RegExp(`^(?:[^"]*: )?${place} "[^"]*"${rest}`, 'i');

/** What the service says to programs, in words for the form whose field it stands beside. */
const words: readonly (readonly [RegExp, string])[] = [
  [at('path argument', ' is invalid; '), 'This name cannot be used: '],
  [at('path argument', String.raw` is "(?:[^"\\]|\\.)*": `), 'This name cannot be used: '],
  [at('field', ' is missing; expected '), 'This is required: '],
  [at('field', ' is missing'), 'This is required'],
  [at('field', ' is invalid; '), 'This cannot be used: '],
  [at('field', ' '), 'This '],
  [/; see the API reference/g, ''],
  [/repeat the request with force=true/g, 'tick this box'],
];

const alternatives = /^the body is invalid; expected ("\w+"(?: or "\w+")+)$/i;

/** The fields of which one has to be given, if that is what a sentence says. */
export const alternativesIn = (sentence: string): readonly string[] =>
  [...(alternatives.exec(sentence)?.[1] ?? '').matchAll(/"(\w+)"/g)].map(([, name = '']) => name);

const withArticle = (label: string): string => `${/^[aeio]/i.test(label) ? 'an' : 'a'} ${label}`;

/** A sentence of the service for the person who fills in a form: it names no argument and no field of the interface. */
export const formWords = (sentence: string): string => {
  const ways = alternativesIn(sentence);
  const plain =
    ways.length > 0
      ? `Give ${ways.map((name) => withArticle(labelWithin(name))).join(' or ')}`
      : words.reduce((text, [said, meant]) => text.replace(said, meant), sentence);
  return plain.charAt(0).toUpperCase() + plain.slice(1);
};
