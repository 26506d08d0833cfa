import { join, resolve } from 'node:path';
import { ConfigError } from '@corral/base/config/config-error';
import { gatherSettings } from '@corral/base/config/gather-settings';
import { databaseAt } from '@corral/base/config/database-url';
import { SettingReader } from '@corral/base/config/setting-reader';
import type { Environment } from '@corral/base/config/setting';
import { isLoopback } from '@corral/base/http/loopback';
import type { Outbound } from '@corral/base/http/outbound';
import { checkOf } from '@corral/base/schema/schema-check';
import { obmdConfig } from '@corral/obmd/config/load-obmd-config';
import { NewProjectLabel } from '../schema/labels.ts';
import type { Config } from './service-config.ts';
import { daemonDatabase } from './daemon-database.ts';
import { cleaningConfig } from './cleaning-config.ts';
import { deviceLimitConfig } from './device-limit-config.ts';
import { httpConfig } from './http-config.ts';
import { historyConfig } from './history-config.ts';
import { identityConfig } from './identity-config.ts';
import { keystoneConfig } from './keystone-config.ts';
import { libvirtConfig } from './libvirt-config.ts';
import { mailConfig } from './mail-config.ts';
import { oidcConfig } from './oidc-config.ts';
import { outboundConfig } from './outbound-config.ts';
import { webhookConfig } from './webhook-config.ts';
import { type SettingValues, settings } from './service-settings.ts';

/** Reads the file (if there is one), lets the environment overrule it, and checks everything at once. */
export const loadConfig = (env: Environment): Config => {
  const mistakes: string[] = [];
  const reader = new SettingReader<SettingValues>(settings, gatherSettings(settings, env, mistakes), mistakes);
  const config = interpret(reader, mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes.map((mistake) => mistake.replaceAll(/\p{Cc}+/gu, ' ')));
  return config;
};

const interpret = (read: SettingReader<SettingValues>, mistakes: string[]): Config => {
  const dataDir = resolve(read.value('data_dir'));
  const connections = read.value('database_connections');
  const database = databaseAt(read.value('database_url'), join(dataDir, 'corral.db'), connections);
  const keyFile = resolve(read.value('key_file') ?? join(dataDir, 'secret.key'));
  const host = read.value('host');
  const auth = read.value('auth');
  if (auth.includes('null') && !isLoopback(host)) {
    mistakes.push(
      `auth: "null" gives every client administrative access, so host must be a loopback address, not ${host}`,
    );
  }
  if (auth.includes('null') && auth.length > 1)
    mistakes.push('auth: "null" disables authentication, so it cannot be combined with other backends');
  const role = read.value('role');
  if (role !== 'all' && database.engine === 'sqlite')
    mistakes.push(`role: "${role}" requires PostgreSQL (database_url); the embedded database is for one process`);
  const processes = read.value('processes');
  if (processes > 1 && database.engine === 'sqlite')
    mistakes.push(
      `processes: ${processes} processes require PostgreSQL (database_url); the embedded database is for one process`,
    );
  const outbound = outboundConfig(read);
  return {
    host,
    port: read.value('port'),
    role,
    processes,
    http: httpConfig(read, mistakes),
    deviceLimits: deviceLimitConfig(read),
    dataDir,
    database,
    auth,
    keystone: keystoneConfig(read, mistakes, auth.includes('keystone')),
    oidc: oidcConfig(read, mistakes, auth.includes('oidc')),
    idleBackends: (['keystone.url', 'oidc.issuer'] as const)
      .filter((key) => read.value(key) !== null)
      .map((key) => key.replace(/\..*/, ''))
      .filter((backend) => !auth.includes(backend)),
    publicUrl: read.value('public_url'),
    requireAuthentication: read.value('require_authentication'),
    identity: identityConfig(read, mistakes),
    history: historyConfig(read),
    webhooks: webhookConfig(read),
    mail: mailConfig(read, outbound, mistakes),
    adminPassword: read.value('admin_password'),
    vlans: read.value('vlans'),
    maintenance: maintenance(read.value('maintenance.project'), read.value('maintenance.url'), outbound, mistakes),
    cleaning: cleaningConfig(read, { outbound, publicUrl: read.value('public_url') }, mistakes),
    outbound,
    classKey: read.value('nodes.class_key'),
    keyFile,
    hypervisor: read.value('hypervisor'),
    images: read.value('images'),
    libvirt: libvirtConfig(read, mistakes),
    logLevel: read.value('log_level'),
    releasePatienceMs: read.value('release.patience'),
    engine: {
      budgetMs: read.value('engine.budget'),
      deviceTimeoutMs: read.value('engine.device_timeout'),
      leaseMs: read.value('engine.lease'),
      pollMs: read.value('engine.poll'),
      sweepMs: read.value('engine.sweep'),
      saveDelayMs: read.value('engine.save_delay'),
      lateWriteMs: read.value('engine.late_write'),
      sessionIdleMs: read.value('engine.session_idle'),
    },
    obm: { timeoutMs: read.value('obm.timeout'), ca: read.value('obm.ca') },
    obmd: obmd(read, { dataDir, database, keyFile }, mistakes),
    hasSiblingObmd: false,
    extensions: read.value('extensions'),
  };
};

const obmd = (
  read: SettingReader<SettingValues>,
  { dataDir, database, keyFile }: Pick<Config, 'dataDir' | 'database' | 'keyFile'>,
  mistakes: string[],
): Config['obmd'] => {
  const rest = obmdConfig(read, dataDir, mistakes);
  const listen = read.value('obmd.listen');
  if (listen === 'off') return null;
  return {
    listen,
    database: daemonDatabase(dataDir, database),
    keyFile,
    ...rest,
  };
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
