import type { TObject } from '@sinclair/typebox';
import { type Check, checkOf, inQuery, mostMistakes } from '../schema/schema-check.ts';

type Query = Readonly<Record<string, string | readonly string[]>>;

/**
 * Parses a query string, before anybody knows who asks. What it throws would end the process, for it runs inside the
 * router: mistakes come later. Of a parameter that is repeated two values are kept: more is no more of a mistake.
 */
export const parseQuery = (text: string): Query => {
  if (text === '') return {};
  const parameters = new Map<string, string | readonly string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = parameters.get(name);
    if (before === undefined) parameters.set(name, value);
    else if (typeof before === 'string') parameters.set(name, [before, value]);
  }
  return Object.fromEntries(parameters);
};

/** Checks a parsed query; a parameter given twice is a mistake, not a list. */
export const checkQuery = (schema: TObject): Check => {
  const check = checkOf(schema, inQuery);
  return (query) => {
    const mistakes = check(query);
    if (mistakes.length === 0) return mistakes;
    const repeated = Object.entries(query as Query).filter(([, value]) => typeof value !== 'string');
    return repeated.length === 0
      ? mistakes
      : repeated.slice(0, mostMistakes + 1).map(([name]) => `${inQuery([name])} is given more than once; give it once`);
  };
};
