import { join } from 'node:path';
import type { DatabaseLocation } from '@corral/base/db/open-database';

export const daemonFile = (dataDir: string) =>
  ({ engine: 'sqlite', path: join(dataDir, 'obmd.db') }) as const satisfies DatabaseLocation;

/** The daemon inside the service has a file beside the service's, or tables of its own in the same PostgreSQL. */
export const daemonDatabase = (dataDir: string, database: DatabaseLocation): DatabaseLocation =>
  database.engine === 'sqlite' ? daemonFile(dataDir) : database;
