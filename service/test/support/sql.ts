import { join } from 'node:path';
import Libsql from 'libsql';
import pg from 'pg';
import type { Service } from './service.ts';

/** Runs one statement in a service's database, past the service. */
export const runSql = async (service: Service, statement: { sqlite: string; postgres: string }): Promise<unknown[]> => {
  const url = service.env['CORRAL_DATABASE_URL'];
  if (url === undefined) {
    const database = new Libsql(join(service.dataDir, 'corral.db'));
    try {
      if (statement.sqlite.startsWith('select')) return database.prepare(statement.sqlite).all();
      database.exec(statement.sqlite);
      return [];
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement.postgres)).rows;
  } finally {
    await client.end();
  }
};
