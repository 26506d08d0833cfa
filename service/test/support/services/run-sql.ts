import { join } from 'node:path';
import Libsql from 'libsql';
import pg from 'pg';
import type { Service } from './service.ts';
import { eventually } from './world.ts';

/** Runs one statement in a service's database, past the service; on SQLite its daemon has a file of its own. */
export const runSql = async (
  service: Pick<Service, 'env' | 'dataDir'>,
  statement: { sqlite: string; postgres: string },
  file: 'corral.db' | 'obmd.db' = 'corral.db',
): Promise<unknown[]> => {
  const url = service.env['CORRAL_DATABASE_URL'];
  if (url === undefined) {
    return eventually(() => onSqlite(join(service.dataDir, file), statement.sqlite));
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement.postgres)).rows;
  } finally {
    await client.end();
  }
};

/** Nothing while the service, which is in this very process, is in the middle of a transaction of its own. */
const onSqlite = (file: string, statement: string): unknown[] | undefined => {
  const database = new Libsql(file);
  try {
    if (statement.startsWith('select')) return database.prepare(statement).all();
    database.exec(statement);
    return [];
  } catch (error) {
    if (error instanceof Error && error.message.includes('locked')) return undefined;
    throw error;
  } finally {
    database.close();
  }
};
