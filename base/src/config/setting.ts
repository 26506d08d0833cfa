import type { ValueType } from './value-types.ts';

/** One thing an operator decides: what it takes, its default, and what it is for. */
export interface Setting {
  readonly takes: ValueType<unknown>;
  readonly fallback?: string;
  /** What docs/configuration.md says of it. */
  readonly about: string;
  /** Its environment variable, where that is not made from its key. */
  readonly env?: string;
}

/** Settings by their keys in corral.toml: `table.key` or `key`. */
export type Settings = Readonly<Record<string, Setting>>;

/** The environment variable of a setting. */
export const variableOf = (key: string, { env }: Setting): string =>
  env ?? `CORRAL_${key.replaceAll('.', '_').toUpperCase()}`;

/** What settings are read as, by key; null: it is not given, and has no fallback. */
export type ValuesOf<All extends Settings> = {
  readonly [Key in keyof All]: ValueIn<All[Key]['takes']> | (All[Key] extends { fallback: string } ? never : null);
};

type ValueIn<Type> = Type extends ValueType<infer T> ? T : never;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line reads, which may run in the same shell. */
const ofClients = ['ENDPOINT', 'TOKEN', 'USERNAME', 'PASSWORD', 'CLIENT_CONFIG'].map((name) => `CORRAL_${name}`);

/** Environment variables that look like ours and are not: most likely misspelt. */
export const unknownVariables = (env: Environment, settings: Settings): string[] => {
  const ours = Object.entries(settings).map(([key, setting]) => variableOf(key, setting));
  const known = ['CORRAL_CONFIG', ...ofClients, ...ours];
  return Object.keys(env).filter((name) => name.startsWith('CORRAL_') && !known.includes(name));
};
