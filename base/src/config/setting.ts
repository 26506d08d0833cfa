/** One thing an operator decides: its name in corral.toml, its environment variable, what it takes. */
export interface Setting {
  /** `table.key` or `key` in corral.toml. */
  readonly key: string;
  readonly env: string;
  readonly takes: 'text' | 'secret' | 'port' | 'flag' | 'seconds' | 'count' | 'list';
  readonly fallback: string | null;
  readonly about: string;
}

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
