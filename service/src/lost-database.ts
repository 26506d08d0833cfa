import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '@corral/base/config/config-error';
import { daemonFile } from './config/daemon-database.ts';
import type { Config } from './config/service-config.ts';

/**
 * Refuses where a service was and its embedded database is gone: an empty one in its place would hand out nodes and VLANs
 * that are in use. A key file elsewhere may be there before the first start.
 */
export const requireNoLostDatabase = ({
  database,
  dataDir,
  keyFile,
}: Pick<Config, 'database' | 'dataDir' | 'keyFile'>): void => {
  if (database.engine !== 'sqlite') return;
  const daemon = daemonFile(dataDir);
  const traces = [...(dirname(keyFile) === dataDir ? [keyFile] : []), daemon.path];
  // In this order: a process that starts at the same time makes the database before the key.
  const [trace] = traces.filter((file) => existsSync(file));
  if (trace === undefined || existsSync(database.path)) return;
  throw new ConfigError([
    `${trace} is there, but the database ${database.path} is not: it was moved or removed. Put it back, or restore a backup with \`corral-admin restore FILE\`; to begin with an empty database, run \`corral-admin migrate\``,
  ]);
};
