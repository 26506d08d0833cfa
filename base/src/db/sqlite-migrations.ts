import { sql } from 'kysely';
import { type MigrationSession, migrate } from './migrations.ts';
import type { ProgramTables } from './program-tables.ts';
import { begun } from './sqlite-busy-retry.ts';
import { openingTimeoutMs, type SqliteConnection } from './sqlite-connection.ts';
import { tableAccess } from './table-access.ts';

const words = {
  id: 'id integer primary key autoincrement',
  bigint: 'integer',
  now: "cast((julianday('now') - 2440587.5) * 86400000 as integer)",
};

/** Makes or changes the tables of a program, all steps in one transaction. */
export const bringUpToDate = async <Schema>(
  connection: SqliteConnection<Schema>,
  { history, migrations }: Pick<ProgramTables<string>, 'history' | 'migrations'>,
): Promise<void> => {
  await begun(connection, performance.now() + openingTimeoutMs, () => undefined);
  try {
    connection.exec(
      `create table if not exists ${history} (version integer primary key, name text not null, applied_at text not null)`,
    );
    await migrate(sessionOf(connection, history), migrations);
    connection.commit();
  } catch (error) {
    connection.rollBack();
    throw error;
  }
};

const sessionOf = <Schema>(connection: SqliteConnection<Schema>, history: string): MigrationSession => ({
  types: words,
  access: tableAccess('sqlite', connection.tx),
  run: (statement) => {
    connection.exec(statement);
    return Promise.resolve();
  },
  version: () => Promise.resolve(connection.version(history)),
  applied: async ({ version, name }) => {
    await sql`insert into ${sql.table(history)} values (${version}, ${name}, ${new Date().toISOString()})`.execute(
      connection.tx,
    );
  },
});
