import { invalid } from '../../core/corral-error.ts';

/** A time that was given in the query, in milliseconds since 1970. */
export const timeOf = (name: string, text: string): number => {
  const time = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Math.abs(time) <= 8.64e15) return time;
  throw invalid(`query parameter "${name}" is not a time; expected something like 2026-01-31T12:00:00Z`);
};
