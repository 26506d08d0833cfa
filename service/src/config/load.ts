import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { parse } from 'smol-toml';
import { checkOf } from '../schema/check.ts';
import { NewProjectLabel } from '../schema/labels.ts';
import { type Config, ConfigError, logLevels, type VlanRange } from './config.ts';
import { type Setting, type SettingKey, settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const largestVlan = 4094;
const longestPassword = 1024;

/** Reads the file (if there is one), lets the environment overrule it, and checks everything at once. */
export const loadConfig = (env: Environment): Config => {
  const mistakes: string[] = [];
  const values = gather(env, mistakes);
  const config = interpret(values, mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes.map((mistake) => mistake.replaceAll(/\p{Cc}+/gu, ' ')));
  return config;
};

/** Environment variables that look like ours and are not: most likely misspelt. */
export const unknownVariables = (env: Environment): string[] =>
  Object.keys(env).filter(
    (name) =>
      name.startsWith('CORRAL_') && name !== 'CORRAL_CONFIG' && !settings.some((setting) => setting.env === name),
  );

interface Given {
  readonly text: string;
  /** How to call it in a mistake: the variable, or the key in the file. */
  readonly source: string;
}
type Values = ReadonlyMap<SettingKey, Given>;

const gather = (env: Environment, mistakes: string[]): Values => {
  const file = env['CORRAL_CONFIG'];
  const fromFile = file === undefined || file === '' ? new Map<string, string>() : readToml(file, mistakes);
  const values = new Map<SettingKey, Given>();
  for (const { key, env: variable, fallback } of settings) {
    const fromEnv = env[variable];
    const inFile = fromFile.get(key);
    if (fromEnv !== undefined && fromEnv !== '') values.set(key, { text: fromEnv, source: variable });
    else if (inFile !== undefined) values.set(key, { text: inFile, source: `${key} in ${file ?? ''}` });
    else if (fallback !== null) values.set(key, { text: fallback, source: key });
  }
  return values;
};

const readToml = (file: string, mistakes: string[]): Map<string, string> => {
  const found = new Map<string, string>();
  let document: unknown;
  try {
    document = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    mistakes.push(
      `CORRAL_CONFIG: ${file}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unreadable'}`,
    );
    return found;
  }
  const walk = (value: unknown, path: string): void => {
    const setting: Setting | undefined = settings.find(({ key }) => key === path);
    if (setting) {
      if (Array.isArray(value) && setting.takes === 'list') found.set(path, value.join(','));
      else if (['string', 'number', 'boolean'].includes(typeof value)) found.set(path, String(value));
      else mistakes.push(`${path} in ${file}: expected ${setting.about}`);
    } else if (typeof value === 'object' && value !== null && settings.some(({ key }) => key.startsWith(`${path}.`))) {
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`);
    } else {
      mistakes.push(`${path} in ${file}: no such setting`);
    }
  };
  for (const [key, value] of Object.entries(document as Record<string, unknown>)) walk(value, key);
  return found;
};

const interpret = (values: Values, mistakes: string[]): Config => {
  const text = (key: SettingKey): string | null => values.get(key)?.text ?? null;
  const wrong = (key: SettingKey, expected: string): void => {
    const { takes }: Setting = settings.find((setting) => setting.key === key) ?? settings[0];
    const given = values.get(key);
    const shown = takes === 'secret' ? 'the value given' : JSON.stringify(given?.text ?? '');
    mistakes.push(`${given?.source ?? key}: ${shown} is not acceptable; expected ${expected}`);
  };
  const number = (key: SettingKey, least: number, most: number, expected: string): number => {
    const value = Number(text(key));
    if (text(key)?.trim() !== '' && value >= least && value <= most) return value;
    wrong(key, expected);
    return least;
  };
  const whole = (key: SettingKey, least: number, most: number): number => {
    const value = number(key, least, most, `a whole number from ${least} to ${most}`);
    if (!Number.isInteger(value)) wrong(key, `a whole number from ${least} to ${most}`);
    return value;
  };
  const milliseconds = (key: SettingKey, most = 3600): number =>
    1000 * number(key, 0.05, most, `seconds from 0.05 to ${most}`);
  const oneOf = <T extends string>(key: SettingKey, choices: readonly [T, ...T[]]): T => {
    const choice = choices.find((candidate) => candidate === text(key));
    if (choice === undefined) wrong(key, choices.join(' or '));
    return choice ?? choices[0];
  };
  const list = (key: SettingKey): string[] =>
    (text(key) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');

  const dataDir = resolve(text('data_dir') ?? './data');
  const host = text('host') ?? '';
  const auth = text('auth') ?? '';
  if (auth === 'null' && !isLoopback(host)) {
    mistakes.push(`auth: "null" lets everybody in as administrator, so host must be a loopback address, not ${host}`);
  }
  const adminPassword = text('admin_password');
  if (adminPassword !== null && (adminPassword === '' || adminPassword.length > longestPassword)) {
    wrong('admin_password', `1 to ${longestPassword} characters`);
  }
  return {
    host,
    port: whole('port', 0, 65_535),
    dataDir,
    database: location(text('database_url'), dataDir, whole('database_connections', 2, 1000), () =>
      wrong('database_url', 'a path, sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE'),
    ),
    auth,
    requireAuthentication: oneOf('require_authentication', ['false', 'true']) === 'true',
    adminPassword,
    vlans: vlanRanges(text('vlans') ?? '', () => wrong('vlans', `ids from 1 to ${largestVlan} such as "100-300, 500"`)),
    maintenance: maintenance(text('maintenance.project'), text('maintenance.url'), mistakes),
    keyFile: resolve(text('key_file') ?? join(dataDir, 'secret.key')),
    hypervisor: text('hypervisor') ?? '',
    images: list('images'),
    logLevel: oneOf('log_level', logLevels),
    engine: {
      budgetMs: milliseconds('engine.budget'),
      deviceTimeoutMs: milliseconds('engine.device_timeout'),
      leaseMs: milliseconds('engine.lease'),
      pollMs: milliseconds('engine.poll'),
      sweepMs: text('engine.sweep')?.trim() === '0' ? 0 : milliseconds('engine.sweep', 86_400),
      saveDelayMs: milliseconds('engine.save_delay'),
      sessionIdleMs: milliseconds('engine.session_idle'),
    },
    obm: { timeoutMs: milliseconds('obm.timeout') },
    extensions: list('extensions'),
  };
};

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

const location = (url: string | null, dataDir: string, connections: number, wrong: () => void): Config['database'] => {
  if (url === null) return { engine: 'sqlite', path: join(dataDir, 'corral.db') };
  if (/^postgres(ql)?:\/\//.test(url)) {
    if (!URL.canParse(url)) wrong();
    return { engine: 'postgres', url, connections };
  }
  const path = url.replace(/^(sqlite|file):(\/\/(?=\/))?/, '');
  if (path === '' || /^[a-z][a-z0-9+.-]+:/i.test(path)) wrong();
  return { engine: 'sqlite', path: resolve(path) };
};

const vlanRanges = (text: string, wrong: () => void): VlanRange[] => {
  const ranges = text.split(',').map((part) => {
    const [, first, last] = /^\s*(\d{1,4})\s*(?:-\s*(\d{1,4})\s*)?$/.exec(part) ?? [];
    return { first: Number(first ?? Number.NaN), last: Number(last ?? first ?? Number.NaN) };
  });
  if (!ranges.every(({ first, last }) => first >= 1 && first <= last && last <= largestVlan)) wrong();
  return ranges;
};

const maintenance = (project: string | null, url: string | null, mistakes: string[]): Config['maintenance'] => {
  if (project === null && url === null) return null;
  if (project === null || url === null) {
    mistakes.push('maintenance: the project and the URL go together; give both, or neither');
    return null;
  }
  mistakes.push(...checkOf(NewProjectLabel, () => `maintenance.project: ${JSON.stringify(project)}`)(project));
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    mistakes.push(`maintenance.url: ${JSON.stringify(url)} is not acceptable; expected an http or https address`);
  }
  return { project, url };
};
