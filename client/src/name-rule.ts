import { grammar } from './calls.ts';

/** What is given a name when it is made, by the argument of the call that makes it. */
export type NamedThing = keyof typeof grammar;

/** What the service expects of a name for something new, in words, if this one is not so; null: it is. */
export const brokenNameRule = (thing: NamedThing, name: string): string | null => {
  const { pattern, maxLength, rule } = grammar[thing];
  // The service counts characters, and not the halves of those that take two.
  return Array.from(name).length <= maxLength && new RegExp(pattern, 'u').test(name) ? null : rule;
};
