import { join } from 'node:path';
import { type Db, openDatabase } from '../../src/db/open-obmd-database.ts';
import type { Daemon } from './daemon.ts';

/** Does something with the database behind a daemon's back. */
export const inDatabaseOf = async <T>({ env, dataDir }: Daemon, work: (db: Db) => Promise<T>): Promise<T> => {
  const url = env['CORRAL_DATABASE_URL'];
  const db = await openDatabase(
    url === undefined
      ? { engine: 'sqlite', path: join(dataDir, 'obmd.db') }
      : { engine: 'postgres', url, connections: 2 },
  );
  try {
    return await work(db);
  } finally {
    await db.close();
  }
};
