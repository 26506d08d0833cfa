import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type MigrationSession, migrate } from './migrations.ts';
import { numbered } from './table-access.ts';
import { connectionAs } from './postgres-connection-options.ts';
import { listenerOf } from './postgres-listener.ts';
import type { Opening, ProgramTables } from './program-tables.ts';

const words = {
  id: 'id bigint generated always as identity primary key',
  bigint: 'bigint',
  now: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
};

/** Keys of the advisory locks; any constants do, as long as every replica has the same. */
export const lockSpace = { migration: 0x436f7201, queue: 0x436f7203, contended: 0x436f7204 } as const;

/** Loaded when such a database is opened: it takes a twentieth of the time to start. */
export const loadDriver = async (): Promise<typeof pg> => (await import('pg')).default;

/** Connection settings that every session of ours has: a client that dies must not hold locks for ever. */
export const sessionOptions = (driver: typeof pg) => {
  // Ids and times are bigint; all of them are far below 2^53.
  const types = new driver.TypeOverrides();
  types.setTypeParser(driver.types.builtins.INT8, Number);
  return { types, connectionTimeoutMillis: 10_000, statement_timeout: 30_000 };
};

/**
 * A process that is stopped (SIGSTOP, a paused machine) keeps its connections, and with them its locks: other processes
 * wait for them so long. One that runs is never silent for so long within a transaction.
 */
export const longestSilenceMs = 5_000;

/** An operator's tool may wait within a transaction for what it reads from or writes to. */
export const idleInTransactionMs: Readonly<Record<Opening, number>> = {
  'up to date': longestSilenceMs,
  'as it is': 30_000,
};

const connected = async <T>(url: string, name: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const driver = await loadDriver();
  const client = new driver.Client({
    ...connectionAs(name, url),
    ...sessionOptions(driver),
    idle_in_transaction_session_timeout: idleInTransactionMs['as it is'],
  });
  // When the server ends the session between two statements, the next one fails; without a listener the process would end.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Who only looks is not taken for the program itself. */
const visitor = 'corral-admin';

/** The version of the tables that `history` tells of; 0: there are none. Nothing is made or changed. */
export const versionInPostgres = (url: string, history: string): Promise<number> =>
  connected(url, visitor, async (client) => {
    const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [history]);
    return rows[0]?.there === true ? sessionOf(client, history).version() : 0;
  });

/** A server takes a moment to notice that a program has ended, on a busy machine a longer one. */
const longestFarewellMs = 3_000;
const betweenLooksMs = 100;

/** Is none of these programs connected, from wherever? */
export const isOnlyPostgresClient = (url: string, names: readonly string[]): Promise<boolean> =>
  connected(url, visitor, async (client) => {
    const began = performance.now();
    for (;;) {
      const { rows } = await client.query(
        `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and application_name = any($1) limit 1`,
        [names.flatMap((name) => [name, listenerOf(name)])],
      );
      if (rows.length === 0) return true;
      if (performance.now() - began >= longestFarewellMs) return false;
      await sleep(betweenLooksMs);
    }
  });

/** Brings the tables up to date, under a lock. */
export const bringUpToDate = (
  url: string,
  { name, history, migrations }: Pick<ProgramTables<string>, 'name' | 'history' | 'migrations'>,
): Promise<void> =>
  connected(url, name, async (client) => {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [lockSpace.migration]);
    await client.query(
      `create table if not exists ${history} (version integer primary key, name text not null, applied_at text not null)`,
    );
    await migrate(sessionOf(client, history), migrations);
    await client.query('commit');
  });

const sessionOf = (client: pg.Client, history: string): MigrationSession => ({
  types: words,
  access: {
    engine: 'postgres',
    all: async (text, values = []) => (await client.query<Record<string, unknown>>(numbered(text), [...values])).rows,
  },
  run: async (statement) => {
    await client.query(statement);
  },
  version: async () => {
    const { rows } = await client.query<{ version: number }>(
      `select coalesce(max(version), 0)::integer as version from ${history}`,
    );
    return rows[0]?.version ?? 0;
  },
  applied: async ({ version, name }) => {
    await client.query(`insert into ${history} values ($1, $2, $3)`, [version, name, new Date().toISOString()]);
  },
});
