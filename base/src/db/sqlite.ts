import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import { boundTo, type RunStatement } from './bound.ts';
import { Changes } from './changes.ts';
import type { Db, Statistics, Tx } from './db.ts';
import { SqliteAdapter, SqliteQueryCompiler, sql } from './kysely.ts';
import { DatabaseRefused, inUse, type MigrationSession, migrate } from './migrate.ts';
import { Mutex } from './mutex.ts';
import type { Holdings, Opening } from './open.ts';
import { retrying } from './retry.ts';
import type { Statement } from './statement.ts';

const words = { id: 'id integer primary key autoincrement', bigint: 'integer' };
const grammar = { adapter: () => new SqliteAdapter(), compiler: () => new SqliteQueryCompiler() };

/** How long a statement waits for another process (a backup, an operator's tool) to let go of the file. */
const busyTimeoutMs = 5_000;

class Connection<Schema> {
  readonly tx: Tx<Schema>;
  readonly mutex = new Mutex();
  readonly #raw: Libsql.Database;
  readonly #statements = new Map<string, { readonly prepared: Libsql.Statement; readonly isReader: boolean }>();

  constructor(path: string, company: 'with others' | 'alone') {
    this.#raw = new Libsql(path);
    if (company === 'alone') this.#shutOut(path);
    this.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    this.exec('pragma journal_mode = wal');
    this.exec('pragma synchronous = full');
    this.exec('pragma foreign_keys = on');
    this.tx = boundTo(grammar, this.#run);
  }

  exec(statement: string): void {
    this.#raw.exec(statement);
  }

  /** Whoever has the file open, in any process, keeps a lock by which the exclusive one is refused, and is refused by it. */
  #shutOut(path: string): void {
    try {
      this.exec('pragma busy_timeout = 0');
      this.exec('pragma locking_mode = exclusive');
      this.exec('begin exclusive');
      this.exec('commit');
    } catch (error) {
      this.close();
      throw isBusy(error) ? inUse(path) : error;
    }
  }

  /** After a failure; one that ended the transaction by itself (a full disk) is no reason to hide the failure. */
  rollBack(): void {
    try {
      this.exec('rollback');
    } catch {
      // There is nothing left to roll back.
    }
  }

  version(history: string): number {
    return versionBy((text) => this.#prepare(text).prepared.all(), history);
  }

  /**
   * Handing a row over from the native side costs more than finding it (1.4 µs against 0.1 µs, measured on
   * 10,000 labels), so the rows of a question cross over together, as one JSON text.
   */
  answering<Values extends object, Row>(question: Statement<Schema, Values, Row>): (values: Values) => unknown[] {
    const { sql: text, parametersFor } = question.compiledFor(this.tx);
    if (question.isOneRow) {
      const statement = this.#raw.prepare(text);
      return (values) => [statement.get(parametersFor(values))];
    }
    const columns = this.#raw
      .prepare(text)
      .columns()
      .map(({ name }) => name);
    const row = columns.map((name) => `'${name}', "${name}"`).join(', ');
    const statement = this.#raw.prepare(`select json_group_array(json_object(${row})) as answer from (${text})`);
    return (values) => {
      const { answer } = statement.get(parametersFor(values)) as { answer: string };
      return JSON.parse(answer) as unknown[];
    };
  }

  close(): void {
    this.#raw.close();
  }

  #prepare(text: string) {
    const known = this.#statements.get(text);
    if (known) return known;
    const prepared = this.#raw.prepare(text);
    const made = { prepared, isReader: prepared.reader };
    this.#statements.set(text, made);
    return made;
  }

  readonly #run: RunStatement = (text, parameters, habit) => {
    const { prepared, isReader } = this.#prepare(text);
    if (habit === 'first') {
      const row = prepared.get(parameters);
      return Promise.resolve({ rows: row === undefined ? [] : [row] });
    }
    if (isReader) return Promise.resolve({ rows: prepared.all(parameters) });
    const { changes, lastInsertRowid } = prepared.run(parameters);
    return Promise.resolve({
      rows: [],
      numAffectedRows: BigInt(changes),
      insertId: BigInt(lastInsertRowid),
    });
  };
}

const isBusy = (error: unknown): boolean => {
  const { code } = error as { code?: string };
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY');
};

/** Takes turns at writing a file. Two of ours in one process must not wait in SQLite, where the first could not go on. */
const turnsAt = (path: string): Mutex => {
  const turns = turnsByPath.get(path) ?? new Mutex();
  turnsByPath.set(path, turns);
  return turns;
};
const turnsByPath = new Map<string, Mutex>();

/** Files that this process has to itself, each over the only connection there can be. */
const heldByPath = new Map<string, Connection<unknown>>();

/** Refuses if anybody has the file open, and lets nobody else open it until this process ends. */
export const holdSqlite = (path: string): void => {
  if (heldByPath.has(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  heldByPath.set(path, new Connection<unknown>(path, 'alone'));
};

/** Opens the embedded database: one writer, one reader beside it, every commit on the disk before it counts. */
export const openSqlite = async <Schema, Topic extends string>(
  path: string,
  holdings: Holdings<Topic>,
  opening: Opening,
): Promise<Db<Schema, Topic>> => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Refuses what this user may not open, in a sentence.
  isThere(path);
  const held = heldByPath.get(path) as Connection<Schema> | undefined;
  const writer = held ?? new Connection<Schema>(path, 'with others');
  const turns = turnsAt(path);
  if (opening === 'up to date') await turns.run(() => bringUpToDate(writer, holdings));
  const readerOf = (): Connection<Schema> => {
    if (held !== undefined) return held;
    const connection = new Connection<Schema>(path, 'with others');
    connection.exec('pragma query_only = on');
    return connection;
  };
  const reader = readerOf();
  // Never inside a transaction, so every statement on it sees the newest commit.
  const asker = readerOf();
  const answers = new WeakMap<object, (values: object) => unknown[]>();
  const statistics: Statistics = { reads: 0, writes: 0, retries: 0 };

  const inTransaction = async <T>(
    connection: Connection<Schema>,
    begin: string,
    work: (tx: Tx<Schema>) => Promise<T>,
  ) => {
    connection.exec(begin);
    try {
      const result = await work(connection.tx);
      connection.exec('commit');
      return result;
    } catch (error) {
      connection.rollBack();
      throw error;
    }
  };

  return {
    engine: 'sqlite',
    statistics,
    changes: new Changes<Topic>(),
    // SQLite lives on one machine: its clock is this process's.
    get now() {
      return sql<number>`${Date.now()}`;
    },
    read: (work) => {
      statistics.reads += 1;
      return reader.mutex.run(() => inTransaction(reader, 'begin', work));
    },
    ask: <Values extends object, Row>(question: Statement<Schema, Values, Row>, values: Values) => {
      statistics.reads += 1;
      let answer = answers.get(question);
      if (answer === undefined) {
        answer = asker.answering(question) as (values: object) => unknown[];
        answers.set(question, answer);
      }
      return Promise.resolve(answer(values) as Row[]);
    },
    write: (work) =>
      retrying(
        () => turns.run(() => inTransaction(writer, 'begin immediate', work)),
        { isLost: isBusy, isVerdict: holdings.isVerdict },
        statistics,
      ),
    orderEvents: () => Promise.resolve(),
    announce: () => Promise.resolve(),
    close: async () => {
      await Promise.all([reader.mutex.run(() => Promise.resolve()), turns.run(() => Promise.resolve())]);
      if (held === undefined) for (const connection of [asker, reader]) connection.close();
      // Everything into the one file, so that a copy of it is a copy of the database.
      writer.exec('pragma wal_checkpoint(truncate)');
      if (held === undefined) writer.close();
    },
  };
};

/** The version of the tables that `history` tells of; 0: there are none. Nothing is made or changed. */
export const versionInSqlite = (path: string, history: string): number => {
  if (!isThere(path)) return 0;
  const held = heldByPath.get(path);
  if (held !== undefined) return held.version(history);
  const raw = new Libsql(path);
  try {
    raw.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    return versionBy((text) => raw.prepare(text).all(), history);
  } catch (error) {
    throw isBusy(error) ? inUse(path) : error;
  } finally {
    raw.close();
  }
};

/** A directory that this user may not look into does not say that there is nothing in it. */
const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') return false;
    throw new DatabaseRefused(
      `the database (${path}) is not for this user; run this as the user whom the service runs as`,
    );
  }
};

const versionBy = (all: (text: string) => unknown[], history: string): number => {
  if (all(`select 1 from sqlite_master where type = 'table' and name = '${history}'`).length === 0) return 0;
  const [row] = all(`select coalesce(max(version), 0) as version from ${history}`);
  return (row as { version: number }).version;
};

const bringUpToDate = async <Schema>(
  connection: Connection<Schema>,
  { history, migrations }: Pick<Holdings<string>, 'history' | 'migrations'>,
): Promise<void> => {
  connection.exec('begin immediate');
  try {
    connection.exec(
      `create table if not exists ${history} (version integer primary key, name text not null, applied_at text not null)`,
    );
    await migrate(sessionOf(connection, history), migrations);
    connection.exec('commit');
  } catch (error) {
    connection.rollBack();
    throw error;
  }
};

const sessionOf = <Schema>(connection: Connection<Schema>, history: string): MigrationSession => ({
  words,
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
