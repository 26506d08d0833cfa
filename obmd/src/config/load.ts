import { join, resolve } from 'node:path';
import { ConfigError } from '@corral/base/config/config-error';
import { gather } from '@corral/base/config/gather';
import { outboundFrom } from '@corral/base/config/outbound';
import { logLevels, SettingReader } from '@corral/base/config/reader';
import type { Environment } from '@corral/base/config/setting';
import type { ListenAddress, ObmdConfig } from './config.ts';
import { type ObmdSettingKey, programSettings, type ProgramSettingKey } from './settings.ts';

const connections = 4;
const longestToken = 256;

/**
 * Reads the configuration of the standalone program: the daemon's table of the file, and what the service calls the
 * same.
 */
export const loadConfig = (env: Environment): ObmdConfig & { readonly logLevel: (typeof logLevels)[number] } => {
  const mistakes: string[] = [];
  const values = gather(programSettings, env, mistakes, { table: 'obmd' });
  const read = new SettingReader<ProgramSettingKey>(programSettings, values, mistakes);
  const dataDir = resolve(read.text('data_dir') ?? './data');
  const config = {
    listen: listenAddress(read.text('obmd.listen') ?? '', () => read.wrong('obmd.listen', 'HOST:PORT')),
    database: read.database('database_url', join(dataDir, 'obmd.db'), connections),
    keyFile: resolve(read.text('key_file') ?? join(dataDir, 'secret.key')),
    logLevel: read.oneOf('log_level', logLevels),
    ...obmdConfig(read, dataDir, mistakes),
  };
  if (mistakes.length > 0) throw new ConfigError(mistakes.map((mistake) => mistake.replaceAll(/\p{Cc}+/gu, ' ')));
  return config;
};

/** The part that is the same wherever the daemon runs. */
export const obmdConfig = (
  read: SettingReader<ObmdSettingKey>,
  dataDir: string,
  mistakes: string[],
): Pick<ObmdConfig, 'adminToken' | 'adminTokenFile' | 'tls' | 'patience' | 'outbound'> => {
  const adminToken = read.text('obmd.admin_token');
  if (adminToken !== null && !new RegExp(`^[\\x21-\\x7e]{1,${longestToken}}$`).test(adminToken)) {
    read.wrong('obmd.admin_token', `1 to ${longestToken} printable ASCII characters without spaces`);
  }
  const cert = read.text('obmd.tls_cert');
  const key = read.text('obmd.tls_key');
  if ((cert === null) !== (key === null)) {
    mistakes.push('obmd: the TLS certificate and its key must be given together; give both, or neither');
  }
  return {
    adminToken,
    adminTokenFile: join(dataDir, 'obmd-admin-token'),
    tls: cert === null || key === null ? null : { cert: resolve(cert), key: resolve(key) },
    patience: {
      timeoutMs: read.milliseconds('obmd.call_timeout'),
      gapMs: read.millisecondsOrNever('obmd.call_gap', 60),
      graceMs: read.milliseconds('obmd.soft_grace'),
      lingerMs: read.millisecondsOrNever('obmd.console_linger', 86_400),
    },
    outbound: outboundFrom(read, 'obmd.outbound_allow'),
  };
};

/** `HOST:PORT`, with the host of IPv6 in brackets. */
export const listenAddress = (text: string, wrong: () => void): ListenAddress => {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    wrong();
    return { host: '127.0.0.1', port: 0 };
  }
  return { host, port: Number(port) };
};
