import type { Output } from './output.ts';

/** Says that something was done: a line for a person, an object for a program. */
export const reportDone = (output: Output, sentence: string, value: object = {}): void => {
  if (output.isJson) output.json(value);
  else output.say(`${output.style.green('✓')} ${sentence}`);
};
