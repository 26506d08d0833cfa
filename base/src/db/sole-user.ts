import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import type { DatabaseLocation } from './open-database.ts';
import { isBusy } from './sqlite-fault.ts';

/**
 * Refuses a second service on an embedded database, for as long as this process lives. The lock is one of the operating
 * system, so that none is left by a process that was killed. It is on a file beside the database: tools go on.
 */
export const requireSoleUser = (database: DatabaseLocation): void => {
  if (database.engine !== 'sqlite') return;
  const directory = dirname(database.path);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = openLock(`${database.path}.lock`);
  if (lock === null) return;
  try {
    lock.exec('pragma busy_timeout = 0');
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) return;
    throw new Error(
      `another process of the service uses the database in ${directory}: stop it, choose another data_dir, or use PostgreSQL (setting database_url), which several processes can share`,
      { cause: error },
    );
  }
  held.add(lock);
};

/** Never closed: the lock ends with the process. */
const held = new Set<Libsql.Database>();

/** Null: this directory cannot be written to, which the opening of the database reports. */
const openLock = (path: string): Libsql.Database | null => {
  try {
    return new Libsql(path);
  } catch {
    return null;
  }
};
