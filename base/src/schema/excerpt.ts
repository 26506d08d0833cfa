import type { TSchema } from '@sinclair/typebox';

/** Of what is repeated in a value, this much is read for the error message. */
const mostOthers = 20;
const mostItems = 100;
/** Longer than any text that a schema accepts. */
const longestText = 128 * 1024;
/** Deeper than any schema. */
const deepest = 8;

/**
 * Copies of a value what it takes to say what is wrong with it: fields that the schema knows, and of everything else
 * the beginning. However large the value is, listing its errors then costs little.
 */
export const excerptOf = (schema: TSchema): ((value: unknown) => unknown) => {
  const known = new Set<string>();
  collectNames(schema, known);
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return value.length > longestText ? value.slice(0, longestText) : value;
    if (typeof value !== 'object' || value === null || depth === deepest) return value;
    if (Array.isArray(value)) return value.slice(0, mostItems).map((item) => copy(item, depth + 1));
    const fields: [string, unknown][] = [];
    let others = 0;
    for (const name of Object.keys(value)) {
      if (!known.has(name) && (others += 1) > mostOthers) continue;
      fields.push([name, copy((value as Readonly<Record<string, unknown>>)[name], depth + 1)]);
    }
    return Object.fromEntries(fields);
  };
  return (value) => copy(value, 0);
};

/** The names of all fields that a schema has anything to say about. */
const collectNames = (schema: unknown, names: Set<string>): void => {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties') for (const name of Object.keys(value as object)) names.add(name);
    if (keyword === 'required') for (const name of value as readonly string[]) names.add(name);
    collectNames(value, names);
  }
};
