import type { RawSetting } from './gather-settings.ts';
import type { Settings } from './setting.ts';

/** How much a program writes down. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Turns what was written into values, and notes every mistake instead of stopping at the first. */
export class SettingReader<Values extends object> {
  readonly #settings: Settings;
  readonly #given: ReadonlyMap<string, RawSetting>;
  readonly #values = new Map<string, unknown>();
  readonly #mistakes: string[];

  constructor(settings: Settings, given: ReadonlyMap<string, RawSetting>, mistakes: string[]) {
    this.#settings = settings;
    this.#given = given;
    this.#mistakes = mistakes;
  }

  /** The value of a setting, as its entry says. */
  value<Key extends keyof Values & string>(key: Key): Values[Key] {
    if (!this.#values.has(key)) this.#values.set(key, this.#parsed(key));
    // The entry of this key has parsed it.
    return this.#values.get(key) as Values[Key];
  }

  /** Notes that a value is invalid beside others. Secrets are not repeated. */
  wrong(key: keyof Values & string, expected: string, entry?: string): void {
    const given = this.#given.get(key);
    const isSecret = this.#settings[key]?.takes.isSecret === true;
    const shown = isSecret ? 'the value given' : JSON.stringify(entry ?? given?.text ?? '');
    this.#mistakes.push(`${given?.source ?? key}: ${shown} is invalid; expected ${expected}`);
  }

  #parsed(key: keyof Values & string): unknown {
    const takes = this.#settings[key]?.takes;
    if (takes === undefined) throw new Error(`no setting has the key ${key}`);
    const given = this.#given.get(key);
    if (given === undefined) return null;
    return takes.parse(given.text, ({ entry, expected } = {}) => this.wrong(key, expected ?? takes.expected, entry));
  }
}
