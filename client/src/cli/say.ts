import type { Output } from './output.ts';

/** Says that something was done: a line for a person, an object for a program. */
export const done = (output: Output, sentence: string, value: object = {}): void => {
  if (output.isJson) output.json(value);
  else output.say(`${output.style.green('✓')} ${sentence}`);
};

/** A number that can be read: `12,000`. */
export const counted = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
