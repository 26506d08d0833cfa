import type { DatabaseLocation } from '../db/open.ts';
import { locationIn, locationRule } from './database-url.ts';
import type { Given } from './gather.ts';
import type { Setting } from './setting.ts';

/** How much a program writes down. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Turns what was written into values, and notes every mistake instead of stopping at the first. */
export class SettingReader<Key extends string> {
  readonly #settings: readonly Setting[];
  readonly #values: ReadonlyMap<string, Given>;
  readonly #mistakes: string[];

  constructor(settings: readonly Setting[], values: ReadonlyMap<string, Given>, mistakes: string[]) {
    this.#settings = settings;
    this.#values = values;
    this.#mistakes = mistakes;
  }

  text(key: Key): string | null {
    return this.#values.get(key)?.text ?? null;
  }

  /** Notes that a value is invalid. Secrets are not repeated. */
  /** `entry`: what is wrong, where it is one of a list. */
  wrong(key: Key, expected: string, entry?: string): void {
    const takes = this.#settings.find((setting) => setting.key === key)?.takes;
    const given = this.#values.get(key);
    const shown = takes === 'secret' ? 'the value given' : JSON.stringify(entry ?? given?.text ?? '');
    this.#mistakes.push(`${given?.source ?? key}: ${shown} is invalid; expected ${expected}`);
  }

  number(key: Key, least: number, most: number, expected: string): number {
    const value = Number(this.text(key));
    if (this.text(key)?.trim() !== '' && value >= least && value <= most) return value;
    this.wrong(key, expected);
    return least;
  }

  whole(key: Key, least: number, most: number): number {
    const value = this.number(key, least, most, `a whole number from ${least} to ${most}`);
    if (!Number.isInteger(value)) this.wrong(key, `a whole number from ${least} to ${most}`);
    return value;
  }

  milliseconds(key: Key, most = 3600): number {
    return 1000 * this.number(key, 0.05, most, `seconds from 0.05 to ${most}`);
  }

  /** Like `milliseconds`, but 0 switches the thing off. */
  millisecondsOrNever(key: Key, most: number): number {
    if (this.text(key)?.trim() === '0') return 0;
    return 1000 * this.number(key, 0.05, most, `seconds from 0.05 to ${most}, or 0`);
  }

  oneOf<T extends string>(key: Key, choices: readonly [T, ...T[]]): T {
    const choice = choices.find((candidate) => candidate === this.text(key));
    if (choice === undefined) this.wrong(key, choices.join(' or '));
    return choice ?? choices[0];
  }

  list(key: Key): string[] {
    return (this.text(key) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }

  /** Where a database is; `fallback` is the file of the embedded one. */
  database(key: Key, fallback: string, connections: number): DatabaseLocation {
    const text = this.text(key);
    const own: DatabaseLocation = { engine: 'sqlite', path: fallback };
    if (text === null) return own;
    const location = locationIn(text, connections);
    if (location === null) this.wrong(key, locationRule);
    return location ?? own;
  }
}
