import { join, resolve } from 'node:path';
import { ConfigError } from '@corral/base/config/config-error';
import { gather } from '@corral/base/config/gather';
import { logLevels, SettingReader } from '@corral/base/config/reader';
import type { Environment } from '@corral/base/config/setting';
import { isLoopback } from '@corral/base/http/loopback';
import type { Outbound } from '@corral/base/http/outbound';
import { checkOf } from '@corral/base/schema/check';
import { listenAddress, obmdConfig } from '@corral/obmd/config/load';
import { NewProjectLabel } from '../schema/labels.ts';
import { authority } from './authority.ts';
import type { Config, VlanRange } from './config.ts';
import { daemonDatabase } from './daemon-database.ts';
import { deviceLimitConfig } from './device-limits.ts';
import { frontConfig } from './front.ts';
import { historyConfig } from './history.ts';
import { identityConfig } from './identity.ts';
import { keystoneConfig } from './keystone.ts';
import { libvirtConfig } from './libvirt.ts';
import { oidcConfig, publicUrl } from './oidc.ts';
import { outboundConfig } from './outbound.ts';
import { type SettingKey, settings } from './settings.ts';

const largestVlan = 4094;
const longestPassword = 1024;

/** Reads the file (if there is one), lets the environment overrule it, and checks everything at once. */
export const loadConfig = (env: Environment): Config => {
  const mistakes: string[] = [];
  const reader = new SettingReader<SettingKey>(settings, gather(settings, env, mistakes), mistakes);
  const config = interpret(reader, mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes.map((mistake) => mistake.replaceAll(/\p{Cc}+/gu, ' ')));
  return config;
};

const interpret = (read: SettingReader<SettingKey>, mistakes: string[]): Config => {
  const dataDir = resolve(read.text('data_dir') ?? './data');
  const connections = read.whole('database_connections', 2, 1000);
  const database = read.database('database_url', join(dataDir, 'corral.db'), connections);
  const keyFile = resolve(read.text('key_file') ?? join(dataDir, 'secret.key'));
  const host = read.text('host') ?? '';
  const auth = [...new Set(read.list('auth'))];
  if (auth.includes('null') && !isLoopback(host)) {
    mistakes.push(
      `auth: "null" gives every client administrative access, so host must be a loopback address, not ${host}`,
    );
  }
  if (auth.includes('null') && auth.length > 1)
    mistakes.push('auth: "null" disables authentication, so it cannot be combined with other backends');
  if (auth.length === 0) read.wrong('auth', 'at least one backend, such as `database`');
  const adminPassword = read.text('admin_password');
  if (adminPassword !== null && (adminPassword === '' || adminPassword.length > longestPassword)) {
    read.wrong('admin_password', `1 to ${longestPassword} characters`);
  }
  const outbound = outboundConfig(read);
  return {
    host,
    port: read.whole('port', 0, 65_535),
    front: frontConfig(read, mistakes),
    deviceLimits: deviceLimitConfig(read),
    dataDir,
    database,
    auth,
    keystone: keystoneConfig(read, mistakes, auth.includes('keystone')),
    oidc: oidcConfig(read, mistakes, auth.includes('oidc')),
    idleBackends: (['keystone.url', 'oidc.issuer'] as const)
      .filter((key) => read.text(key) !== null)
      .map((key) => key.replace(/\..*/, ''))
      .filter((backend) => !auth.includes(backend)),
    publicUrl: publicUrl(read),
    requireAuthentication: read.oneOf('require_authentication', ['false', 'true']) === 'true',
    identity: identityConfig(read, mistakes),
    history: historyConfig(read),
    adminPassword,
    vlans: vlanRanges(read.text('vlans') ?? '', () =>
      read.wrong('vlans', `ids from 1 to ${largestVlan} such as "100-300, 500"`),
    ),
    maintenance: maintenance(read.text('maintenance.project'), read.text('maintenance.url'), outbound, mistakes),
    outbound,
    keyFile,
    hypervisor: read.text('hypervisor') ?? '',
    images: read.list('images'),
    libvirt: libvirtConfig(read, mistakes),
    logLevel: read.oneOf('log_level', logLevels),
    engine: {
      budgetMs: read.milliseconds('engine.budget'),
      deviceTimeoutMs: read.milliseconds('engine.device_timeout'),
      leaseMs: read.milliseconds('engine.lease'),
      pollMs: read.milliseconds('engine.poll'),
      sweepMs: read.millisecondsOrNever('engine.sweep', 86_400),
      saveDelayMs: read.milliseconds('engine.save_delay'),
      lateWriteMs: read.milliseconds('engine.late_write'),
      sessionIdleMs: read.milliseconds('engine.session_idle'),
    },
    obm: { timeoutMs: read.milliseconds('obm.timeout'), ca: authority(read, 'obm.ca') },
    obmd: obmd(read, { dataDir, database, keyFile }, mistakes),
    extensions: read.list('extensions'),
  };
};

const obmd = (
  read: SettingReader<SettingKey>,
  { dataDir, database, keyFile }: Pick<Config, 'dataDir' | 'database' | 'keyFile'>,
  mistakes: string[],
): Config['obmd'] => {
  const rest = obmdConfig(read, dataDir, mistakes);
  const listen = read.text('obmd.listen') ?? 'off';
  if (listen === 'off') return null;
  return {
    listen: listenAddress(listen, () => read.wrong('obmd.listen', '`off`, or HOST:PORT')),
    database: daemonDatabase(dataDir, database),
    keyFile,
    ...rest,
  };
};

const vlanRanges = (text: string, wrong: () => void): VlanRange[] => {
  const ranges = text.split(',').map((part) => {
    const [, first, last] = /^\s*(\d{1,4})\s*(?:-\s*(\d{1,4})\s*)?$/.exec(part) ?? [];
    return { first: Number(first ?? Number.NaN), last: Number(last ?? first ?? Number.NaN) };
  });
  if (!ranges.every(({ first, last }) => first >= 1 && first <= last && last <= largestVlan)) wrong();
  return ranges;
};

const maintenance = (
  project: string | null,
  url: string | null,
  outbound: Outbound,
  mistakes: string[],
): Config['maintenance'] => {
  if (project === null && url === null) return null;
  if (project === null || url === null) {
    mistakes.push('maintenance: the project and the URL must be given together; give both, or neither');
    return null;
  }
  mistakes.push(...checkOf(NewProjectLabel, () => `maintenance.project: ${JSON.stringify(project)}`)(project));
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    mistakes.push(`maintenance.url: ${JSON.stringify(url)} is invalid; expected an http or https address`);
  } else {
    const refusal = outbound.refusalOf(new URL(url).hostname);
    if (refusal !== null) mistakes.push(`maintenance.url: ${refusal.message}`);
  }
  return { project, url };
};
