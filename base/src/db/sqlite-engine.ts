import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import { ChangeNotifier } from './change-notifier.ts';
import type { Db, Statistics, Tx } from './database.ts';
import { Condition, toDatabaseError } from './database-fault.ts';
import { sql } from 'kysely';
import { EventLoopShare } from './event-loop-share.ts';
import { DatabaseRefused, inUse } from './migrations.ts';
import type { ProgramTables, Opening } from './program-tables.ts';
import { steadyNow } from '../steady-clock.ts';
import { retryTransaction } from './transaction-retry.ts';
import { openingTimeoutMs, SqliteConnection, versionBy } from './sqlite-connection.ts';
import { isBusy } from './sqlite-fault.ts';
import { SqliteFile } from './sqlite-file.ts';
import { bringUpToDate } from './sqlite-migrations.ts';
import { SqliteStorage } from './sqlite-storage.ts';
import { begun, busyTimeoutMs, whileBusy } from './sqlite-busy-retry.ts';
import type { Statement } from './prepared-statement.ts';

/** How long readers, and changes, may keep everybody else from a turn of the event loop. Readers are more urgent. */
const longestReadingMs = 15;
const longestChangingMs = 1;

/** Files that this process has to itself, each over the only connection there can be. */
const heldByPath = new Map<string, SqliteConnection<unknown>>();

/** Refuses if anybody has the file open, and lets nobody else open it until this process ends. */
export const holdSqlite = (path: string): void => {
  if (heldByPath.has(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  heldByPath.set(path, new SqliteConnection<unknown>(path, 'alone'));
};

/** Has this process the file to itself? */
export const isHeld = (path: string): boolean => heldByPath.has(path);

/** Lets others open it again. */
export const releaseSqlite = (path: string): void => {
  heldByPath.get(path)?.close();
  heldByPath.delete(path);
};

/** Opens the embedded database: one writer, readers beside it, every commit on the disk before it counts. */
export const openSqlite = async <Schema, Topic extends string>(
  path: string,
  tables: ProgramTables<Topic>,
  opening: Opening,
): Promise<Db<Schema, Topic>> => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Refuses what this user may not open, in a sentence.
  isThere(path);
  const held = heldByPath.get(path) as SqliteConnection<Schema> | undefined;
  const writer = held ?? new SqliteConnection<Schema>(path, 'with others');
  const storage = SqliteStorage.at(path);
  const { turns, flush, snapshots } = storage;
  if (opening === 'up to date') await turns.run(() => bringUpToDate(writer, tables));
  // The programs that take a database as it is are tools that make few changes: SQLite flushes each of them.
  const sharesFlushes = held === undefined && opening === 'up to date';
  if (sharesFlushes) writer.leaveFlushesToOthers();
  const reader = held ?? SqliteConnection.forReading<Schema>(path);
  // Never inside a transaction, so every statement on it sees the newest commit.
  const queryConnection = held ?? SqliteConnection.forReading<Schema>(path);
  const statistics: Statistics = { reads: 0, writes: 0, retries: 0 };
  const condition = new Condition();
  const file = new SqliteFile(path);
  // Tools have it open for a moment.
  const unwatch = sharesFlushes ? file.watch((error) => condition.failed(error)) : () => undefined;
  const readTime = new EventLoopShare(longestReadingMs);
  const changeTime = new EventLoopShare(longestChangingMs);

  const inTransaction = async <T>(
    connection: SqliteConnection<Schema>,
    work: (tx: Tx<Schema>) => Promise<T>,
    commit: () => void,
  ) => {
    try {
      const result = await work(connection.tx);
      commit();
      return result;
    } catch (error) {
      connection.rollBack();
      throw error;
    }
  };
  const commitChange = (): void => (sharesFlushes ? storage.commit(() => writer.commit()) : writer.commit());
  const endReading = (): void => reader.commit();
  const durableConnection = () => snapshots.connection as SqliteConnection<Schema> | null;

  /**
   * One change, in its turn. A caller that waits for another process's lock keeps its turn: those behind it would wait
   * for the same lock. The turn ends with the commit, so the next change runs while this one is flushed; a change that
   * fails may have seen such a commit, so it waits for the flush too.
   */
  const change = async <T>(work: (tx: Tx<Schema>) => Promise<T>, until: number): Promise<T> => {
    try {
      return await turns.run(async () => {
        if (changeTime.isUsedUp) await changeTime.wait();
        flush.requireSound();
        file.requireSame();
        await begun(writer, until, (error) => condition.failed(toDatabaseError(error, file.faultOf)));
        return inTransaction(writer, work, commitChange);
      });
    } finally {
      await flush.settled();
    }
  };

  const noting = async <T>(attempt: Promise<T>): Promise<T> => {
    try {
      const result = await attempt;
      condition.succeeded();
      return result;
    } catch (error) {
      const databaseError = toDatabaseError(error, file.faultOf);
      condition.failed(databaseError);
      throw databaseError;
    }
  };

  const query = async <Values extends object, Row>(
    statement: Statement<Schema, Values, Row>,
    values: Values,
  ): Promise<Row[]> => {
    statistics.reads += 1;
    if (readTime.isUsedUp) await readTime.wait();
    const answered = (): Promise<Row[]> =>
      Promise.resolve((durableConnection() ?? queryConnection).query(statement, values));
    try {
      return await whileBusy(async () => answered(), performance.now() + busyTimeoutMs);
    } catch (error) {
      throw toDatabaseError(error, file.faultOf);
    }
  };

  return {
    engine: 'sqlite',
    statistics,
    condition,
    changes: new ChangeNotifier<Topic>(),
    // SQLite lives on one machine: its clock is this process's, and does not jump when somebody sets it.
    get now() {
      return sql<number>`${steadyNow()}`;
    },
    read: async (work) => {
      statistics.reads += 1;
      const readDurable = (): ReturnType<typeof work> | null =>
        durableConnection() && snapshots.read((tx) => work(tx as Tx<Schema>));
      try {
        if (readTime.isUsedUp) await readTime.wait();
        return await (readDurable() ??
          reader.mutex.run(async () => {
            if (readTime.isUsedUp) await readTime.wait();
            return whileBusy(() => {
              const durable = readDurable();
              if (durable !== null) return durable;
              reader.beginRead();
              return inTransaction(reader, work, endReading);
            }, performance.now() + busyTimeoutMs);
          }));
      } catch (error) {
        throw toDatabaseError(error, file.faultOf);
      }
    },
    query,
    queryPair: async (first, second) => [await query(...first), await query(...second)],
    write: (work) => {
      const until = performance.now() + busyTimeoutMs;
      const isLost = (error: unknown): boolean => isBusy(error) && performance.now() < until;
      return noting(retryTransaction(() => change(work, until), { isLost, isVerdict: tables.isVerdict }, statistics));
    },
    probe: () =>
      noting(
        (async () => {
          await file.probe();
          await turns.run(async () => {
            flush.requireSound();
            file.requireSame();
            await begun(writer, 0, () => undefined);
            // Only what is stored shows that something can be, and that it was impossible is the one reason to try.
            if (condition.fault === null) writer.rollBack();
            else await inTransaction(writer, () => storeNothingNew(writer), commitChange);
          });
          await flush.settled();
        })(),
      ),
    announce: () => Promise.resolve(),
    announceSoon: () => undefined,
    close: async () => {
      unwatch();
      await Promise.all([reader.mutex.run(() => Promise.resolve()), storage.close()]);
      if (held !== undefined) return;
      queryConnection.close();
      reader.close();
      // Everything into the one file, so that a copy of it is a copy of the database. On a full disk it stays in the
      // log beside it, where the next start finds it. A log that could not be flushed is left as it is.
      if (!flush.hasFailed) writer.attempt('pragma wal_checkpoint(truncate)');
      writer.close();
    },
  };
};

/** Writes the number that is there already: the smallest change that reaches the disk. */
const storeNothingNew = <Schema>(connection: SqliteConnection<Schema>): Promise<void> => {
  const [row] = connection.all('pragma user_version');
  connection.exec(`pragma user_version = ${(row as { user_version: number }).user_version}`);
  return Promise.resolve();
};

/** The version of the tables that `history` tells of; 0: there are none. Nothing is made or changed. */
export const versionInSqlite = (path: string, history: string): number => {
  if (!isThere(path)) return 0;
  const held = heldByPath.get(path);
  if (held !== undefined) return held.version(history);
  const raw = new Libsql(path);
  try {
    raw.exec(`pragma busy_timeout = ${openingTimeoutMs}`);
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
      `the database (${path}) cannot be opened: permission denied; run this command as the user that runs the service`,
    );
  }
};
