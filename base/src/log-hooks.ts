import { limitRepeats } from './repeated-logs.ts';

/** What some readers take for the end of a line, terminals for an order, or for a turn in the direction of writing. */
const restless = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Hooks of pino. They make an entry one harmless line for everybody, whatever others said is in it (as JSON it is the
 * same), and limit entries that repeat.
 */
export const logHooks = () => ({
  streamWrite: (line: string): string => line.replaceAll(restless, escaped),
  logMethod: limitRepeats(),
});
