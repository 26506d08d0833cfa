import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AuthBackend } from './auth/auth-contract.ts';
import { ConfigError } from '@corral/base/config/config-error';
import { CorralError } from './core/corral-error.ts';
import type { Hypervisor } from './drivers/hypervisors/hypervisor-contract.ts';
import type { SwitchDriver } from './drivers/switches/switch-contract.ts';

/** What can be plugged in, by kind and then by name; a module exports any of these. */
export interface Extensions {
  readonly switches: Readonly<Record<string, SwitchDriver>>;
  readonly hypervisors: Readonly<Record<string, Hypervisor>>;
  readonly auth: Readonly<Record<string, AuthBackend>>;
}

/** The member that tells each kind from something else that was exported by mistake. */
const marks = { switches: 'open', hypervisors: 'start', auth: 'authenticate' } as const satisfies Record<
  keyof Extensions,
  string
>;
const kinds = Object.keys(marks) as (keyof Extensions)[];

/** Loads the operator's modules and joins what they export with what comes with Corral. Names are unique. */
export const loadExtensions = async (modules: readonly string[], builtIn: Extensions): Promise<Extensions> => {
  let all = builtIn;
  for (const name of modules) all = join(all, await load(name), name);
  return all;
};

type Import = (name: string) => Promise<unknown>;

/** What starts a bundle brings a way to import, because the bundle has none of its own (base/src/launcher.ts). */
const importModule: Import = (name) => {
  const given = Reflect.get(globalThis, Symbol.for('corral.import')) as Import | undefined;
  return given === undefined ? import(name) : given(name);
};

const load = async (name: string): Promise<Record<string, unknown>> => {
  const isPath = name.startsWith('.') || name.startsWith('/');
  try {
    return (await importModule(isPath ? pathToFileURL(resolve(name)).href : name)) as Record<string, unknown>;
  } catch (error) {
    throw new ConfigError([
      `extensions: ${name} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
    ]);
  }
};

const join = (all: Extensions, exported: Record<string, unknown>, module: string): Extensions => {
  const found = kinds.filter((kind) => exported[kind] !== undefined);
  if (found.length === 0) throw new ConfigError([`extensions: ${module} exports none of ${kinds.join(', ')}`]);
  const joined: Record<keyof Extensions, Record<string, unknown>> = {
    switches: { ...all.switches },
    hypervisors: { ...all.hypervisors },
    auth: { ...all.auth },
  };
  for (const kind of found) {
    for (const [name, value] of Object.entries(exported[kind] as Record<string, unknown>)) {
      if (Object.hasOwn(joined[kind], name))
        throw new ConfigError([`extensions: ${module}: ${kind} ${name} already exists`]);
      if (typeof (value as Record<string, unknown> | null)?.[marks[kind]] !== 'function') {
        throw new ConfigError([`extensions: ${module}: ${kind} ${name} has no ${marks[kind]}()`]);
      }
      joined[kind][name] = kind === 'auth' ? withOurErrors(value as AuthBackend) : value;
    }
  }
  // Checked by their marks just now; the rest of a contract only its use can tell.
  return joined as unknown as Extensions;
};

/** What a backend may refuse with. */
const refusals = ['AuthorizationError', 'UnavailableError'] as const;

/** A module of the operator's cannot import our classes: the program is one file. It gives its errors a `type` instead. */
const withOurErrors = (backend: AuthBackend): AuthBackend => ({
  name: backend.name,
  challenge: backend.challenge,
  authenticate: (credentials) => {
    const fail = (error: unknown): never => {
      throw ourError(error);
    };
    try {
      const answer = backend.authenticate(credentials);
      return answer instanceof Promise ? answer.catch(fail) : answer;
    } catch (error) {
      return fail(error);
    }
  },
});

const ourError = (error: unknown): Error => {
  if (!(error instanceof Error)) return new Error(String(error));
  const type = refusals.find((name) => name === (error as { readonly type?: unknown }).type);
  return type === undefined || error instanceof CorralError
    ? error
    : new CorralError(type, error.message, { cause: error });
};

/** The one of its kind that the configuration names. */
export const chosen = <T>(
  table: Readonly<Record<string, T>>,
  setting: string,
  name: string,
  /** Those that are there too, once they are set up. */
  others: readonly string[] = [],
): T => {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found !== undefined) return found;
  throw new ConfigError([
    `${setting}: unknown value ${JSON.stringify(name)}; expected one of ${[...new Set([...Object.keys(table), ...others])].sort().join(', ')}`,
  ]);
};
