import { join, resolve } from 'node:path';
import { databaseAt } from '@corral/base/config/database-url';
import { ConfigError } from '@corral/base/config/config-error';
import { gatherSettings } from '@corral/base/config/gather-settings';
import { type LogLevel, SettingReader } from '@corral/base/config/setting-reader';
import type { Environment } from '@corral/base/config/setting';
import { isLoopback } from '@corral/base/http/loopback';
import { Outbound } from '@corral/base/http/outbound';
import type { ObmdConfig } from './obmd-config.ts';
import { type ObmdValues, programSettings, type ProgramValues } from './obmd-settings.ts';

const connections = 4;

/**
 * Reads the configuration of the standalone program: the daemon's table of the file, and what the service calls the
 * same.
 */
export const loadConfig = (env: Environment): ObmdConfig & { readonly logLevel: LogLevel } => {
  const mistakes: string[] = [];
  const values = gatherSettings(programSettings, env, mistakes, { table: 'obmd' });
  const read = new SettingReader<ProgramValues>(programSettings, values, mistakes);
  const dataDir = resolve(read.value('data_dir'));
  const config = {
    listen: read.value('obmd.listen'),
    database: databaseAt(read.value('database_url'), join(dataDir, 'obmd.db'), connections),
    keyFile: resolve(read.value('key_file') ?? join(dataDir, 'secret.key')),
    logLevel: read.value('log_level'),
    ...obmdConfig(read, dataDir, mistakes),
  };
  if (mistakes.length > 0) throw new ConfigError(mistakes.map((mistake) => mistake.replaceAll(/\p{Cc}+/gu, ' ')));
  return config;
};

/** The part that is the same wherever the daemon runs. */
export const obmdConfig = (
  read: SettingReader<ObmdValues>,
  dataDir: string,
  mistakes: string[],
): Pick<ObmdConfig, 'adminToken' | 'adminTokenFile' | 'url' | 'tls' | 'timeouts' | 'outbound'> => {
  const cert = read.value('obmd.tls_cert');
  const key = read.value('obmd.tls_key');
  if ((cert === null) !== (key === null)) {
    mistakes.push('obmd: the TLS certificate and its key must be given together; give both, or neither');
  }
  return {
    adminToken: read.value('obmd.admin_token'),
    adminTokenFile: join(dataDir, 'obmd-admin-token'),
    url: urlOf(read, mistakes),
    tls: cert === null || key === null ? null : { cert: resolve(cert), key: resolve(key) },
    timeouts: {
      timeoutMs: read.value('obmd.call_timeout'),
      gapMs: read.value('obmd.call_gap'),
      graceMs: read.value('obmd.soft_grace'),
      lingerMs: read.value('obmd.console_linger'),
    },
    outbound: new Outbound({ allow: read.value('obmd.outbound_allow'), setting: 'obmd.outbound_allow' }),
  };
};

/** Tokens are part of the addresses that are asked for there. */
const urlOf = (read: SettingReader<ObmdValues>, mistakes: string[]): string | null => {
  const text = read.value('obmd.url');
  if (text === null || !URL.canParse(text)) return null;
  const { origin, protocol, hostname } = new URL(text);
  if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')) && !read.value('obmd.allow_http')) {
    mistakes.push(
      `obmd.url: ${JSON.stringify(text)} has no TLS, so tokens would be sent unencrypted between machines; set obmd.tls_cert and obmd.tls_key and use https, or permit it with obmd.allow_http`,
    );
  }
  return origin;
};
