import type { ValueType } from './value-types.ts';

/** One thing an operator decides: what it is called, what it takes, its default, and what it is for. */
export interface Setting {
  /** `table.key` or `key` in corral.toml. */
  readonly key: string;
  readonly env: string;
  readonly takes: ValueType<unknown>;
  readonly fallback: string | null;
  /** What docs/configuration.md says of it. */
  readonly about: string;
}

/** What a list of settings is read as, by key; null: it is not given, and has no fallback. */
export type ValuesOf<Settings extends readonly Setting[]> = {
  readonly [S in Settings[number] as S['key']]: S['fallback'] extends string
    ? ValueIn<S['takes']>
    : ValueIn<S['takes']> | null;
};

type ValueIn<Type> = Type extends ValueType<infer T> ? T : never;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line reads, which may run in the same shell. */
const ofClients = ['ENDPOINT', 'TOKEN', 'USERNAME', 'PASSWORD', 'CLIENT_CONFIG'].map((name) => `CORRAL_${name}`);

/** Environment variables that look like ours and are not: most likely misspelt. */
export const unknownVariables = (env: Environment, settings: readonly Setting[]): string[] =>
  Object.keys(env).filter(
    (name) =>
      name.startsWith('CORRAL_') &&
      !['CORRAL_CONFIG', ...ofClients].includes(name) &&
      !settings.some((setting) => setting.env === name),
  );
