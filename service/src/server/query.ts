import { invalid } from '../core/errors.ts';

/** Parses a query string; a parameter given twice is a mistake, not a list. */
export const parseQuery = (text: string): Record<string, string> => {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (parameters.has(name)) throw invalid(`query parameter "${name}" is given more than once; give it once`);
    parameters.set(name, value);
  }
  return Object.fromEntries(parameters);
};
