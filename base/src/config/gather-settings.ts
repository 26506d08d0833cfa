import { readFileSync, statSync } from 'node:fs';
import { parse, TomlError } from 'smol-toml';
import { type Environment, type Settings, variableOf } from './setting.ts';
import { describeFileError } from './file-error.ts';
import { placesOfKeys } from './toml-places.ts';

/** A value as it was written, and where. */
export interface RawSetting {
  readonly text: string;
  /** How to call it in a mistake: the variable, or the key in the file. */
  readonly source: string;
}

/** Whose file it is: all of it this program's, or only one table, and what another program has in common with it. */
interface Scope {
  readonly table?: string;
}

/** Reads the file (if there is one) and lets the environment overrule it. */
export const gatherSettings = (
  settings: Settings,
  env: Environment,
  mistakes: string[],
  scope: Scope = {},
): ReadonlyMap<string, RawSetting> => {
  const file = env['CORRAL_CONFIG'];
  const fromFile =
    file === undefined || file === '' ? new Map<string, FileSetting>() : readToml(file, settings, mistakes, scope);
  const values = new Map<string, RawSetting>();
  for (const [key, setting] of Object.entries(settings)) {
    const variable = variableOf(key, setting);
    const fromEnv = env[variable];
    const inFile = fromFile.get(key);
    if (fromEnv !== undefined && fromEnv !== '') values.set(key, { text: fromEnv, source: variable });
    else if (inFile !== undefined) values.set(key, inFile);
    else if (setting.fallback !== undefined) values.set(key, { text: setting.fallback, source: key });
  }
  return values;
};

/** Where a setting is in the file is found out when there is a mistake to be reported. */
class FileSetting implements RawSetting {
  readonly text: string;
  readonly #place: () => string;

  constructor(text: string, place: () => string) {
    this.text = text;
    this.#place = place;
  }

  get source(): string {
    return this.#place();
  }
}

const readToml = (
  file: string,
  settings: Settings,
  mistakes: string[],
  { table }: Scope,
): ReadonlyMap<string, FileSetting> => {
  const found = new Map<string, FileSetting>();
  let content: string;
  let document: Record<string, unknown>;
  try {
    content = readFileSync(file, 'utf8');
    document = parse(content);
  } catch (error) {
    const place = error instanceof TomlError ? `${file}:${error.line}:${error.column}` : file;
    mistakes.push(`CORRAL_CONFIG: ${place}: ${describeFileError(error)}`);
    return found;
  }
  const keys = Object.keys(settings);
  let places: ReturnType<typeof placesOfKeys> | null = null;
  const placeOf = (path: string, part: 'key' | 'value'): string => {
    const place = (places ??= placesOfKeys(content)).get(path)?.[part];
    return place === undefined ? `${path} in ${file}` : `${path} in ${file}:${place.line}:${place.column}`;
  };
  const note = (path: string, text: string): void => {
    found.set(path, new FileSetting(text, () => placeOf(path, 'value')));
  };
  const walk = (value: unknown, path: string): void => {
    const setting = Object.hasOwn(settings, path) ? settings[path] : undefined;
    if (setting) {
      if (Array.isArray(value) && setting.takes.isList && value.every(isPlain)) note(path, value.join(','));
      else if (isPlain(value)) note(path, String(value));
      else mistakes.push(`${placeOf(path, 'value')}: expected ${setting.takes.expected}`);
    } else if (typeof value === 'object' && value !== null && keys.some((key) => key.startsWith(`${path}.`))) {
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`);
    } else if (table === undefined || path.startsWith(`${table}.`)) {
      mistakes.push(`${placeOf(path, 'key')}: unknown setting`);
    }
  };
  for (const [key, value] of Object.entries(document)) walk(value, key);
  return found;
};

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** What to tell about a configuration file that holds secrets and that everybody on the machine can read; null: nothing. */
export const exposedSecrets = (settings: Settings, env: Environment): string | null => {
  const file = env['CORRAL_CONFIG'];
  if (file === undefined || file === '') return null;
  const found = readToml(file, settings, [], {});
  const secrets = Object.keys(settings).filter((key) => settings[key]?.takes.isSecret === true && found.has(key));
  if (secrets.length === 0 || (statSync(file).mode & 0o004) === 0) return null;
  return `${file} contains secrets (${secrets.join(', ')}) and is readable by all users of this machine; run \`chmod 640 ${file}\``;
};
