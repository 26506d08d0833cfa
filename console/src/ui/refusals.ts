import { alternativesIn, formWords } from './form-words.ts';

/** Why something was refused, by the field that caused it; what no field caused is `rest`. */
export interface Refusals {
  readonly of: (field: string) => string | null;
  readonly rest: string | null;
}

export const noRefusals: Refusals = { of: () => null, rest: null };

/** The mistakes of a request come in one line; each begins with its place, the first perhaps with who refused it. */
const mistake = /; (?=(?:field|path argument) "|the body )/;
const place = /^(?:[^"]*: )?(?:field|path argument) "(?:[^"]*\.)?([^".]+)"/i;

/**
 * Parts what the service said by the fields that it names, of those that there are. `also` knows the field of sentences
 * that name none.
 */
export const refusalsOf = (
  error: Error | null,
  fields: readonly string[],
  also: (sentence: string) => string | null = () => null,
): Refusals => {
  if (error === null) return noRefusals;
  const sentences = error.message.split(mistake);
  // That one of them is needed is one sentence, and not one for each.
  const ways = sentences.flatMap(alternativesIn);
  const found = new Map<string, string[]>();
  for (const sentence of sentences) {
    const named = place.exec(sentence)?.[1] ?? also(sentence);
    if (named !== null && ways.includes(named) && sentence.includes(' is missing; ')) continue;
    const field = named !== null && fields.includes(named) ? named : '';
    found.set(field, [...(found.get(field) ?? []), formWords(sentence)]);
  }
  const told = (field: string): string | null => found.get(field)?.join('; ') ?? null;
  return { of: told, rest: told('') };
};

/** The same without what was said of fields that were changed since, and of the whole if any was. */
export const refusalsWithout = ({ of, rest }: Refusals, changed: ReadonlySet<string>): Refusals => ({
  of: (field) => (changed.has(field) ? null : of(field)),
  rest: changed.size === 0 ? rest : null,
});
