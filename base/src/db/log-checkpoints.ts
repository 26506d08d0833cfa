import { closeSync, openSync, readSync } from 'node:fs';
import Libsql from 'libsql/promise';
import type { Mutex } from './mutex.ts';
import { mostWalBytes, SqliteConnection } from './sqlite-connection.ts';

/** What `exec` runs, it runs in threads of the library; prepared statements run in the event loop. */
interface Connection {
  exec(statement: string): Promise<void>;
  prepare(statement: string): Promise<{ get(): Promise<unknown> }>;
  close(): void;
}

/** How many changes pass between two checkpoints. */
const changesBetweenCheckpoints = 128;
/** How long a new beginning of the log waits for readers. Changes wait as long. */
const restartTimeoutMs = 50;
/** The log has a heading, then frames: a page and its heading. Both headings have the salt of when the log was begun. */
const headingBytes = 32;
const saltInHeading = 16;
const frameBytes = 4096 + 24;
const saltInFrame = 8;
const framesAllowed = Math.floor(mostWalBytes / frameBytes);

/** Nothing beyond the end. */
const saltAt = (log: number, position: number): Buffer => {
  const salt = Buffer.alloc(8);
  return salt.subarray(0, readSync(log, salt, { position }));
};

/** The parts of `CommitFlush` that a checkpoint needs. */
interface Flush {
  readonly hasFailed: boolean;
  settled(): Promise<void>;
  fail(error: unknown): void;
}

/**
 * Copies the log of changes into the file, outside the event loop: it flushes both. SQLite would do so inside some
 * commit, and begin the log anew only when a change meets no reader, which on a busy service may never happen. The log
 * keeps its size when it begins anew: a file that does not grow is flushed faster.
 */
export class LogCheckpoints {
  readonly #path: string;
  readonly #turns: Mutex;
  readonly #flush: Flush;
  #connection: Connection | null = null;
  /** Reads from the log, so that no change begins it anew in the event loop, which would flush it there. */
  #reader: SqliteConnection<unknown> | null = null;
  #changes = 0;
  #running: Promise<void> | null = null;

  constructor(path: string, turns: Mutex, flush: Flush) {
    this.#path = path;
    this.#turns = turns;
    this.#flush = flush;
  }

  /** After every change. */
  changed(): void {
    this.#changes += 1;
    if (this.#running !== null || this.#changes < changesBetweenCheckpoints) return;
    this.#changes = 0;
    this.#running = this.#checkpoint().finally(() => (this.#running = null));
  }

  async close(): Promise<void> {
    await this.#running;
    this.#connection?.close();
    this.#reader?.close();
    this.#connection = this.#reader = null;
  }

  /** What fails (a full disk, a reader elsewhere) is tried again after the next changes; the log has everything. */
  async #checkpoint(): Promise<void> {
    try {
      this.#connection ??= await this.#opened();
      const connection = this.#connection;
      this.#readLog();
      await connection.exec('pragma wal_checkpoint(passive)');
      if (this.#isLong()) await this.#turns.run(() => this.#restart(connection));
    } catch (error) {
      const { code } = error as { code?: string };
      if (code?.endsWith('_FSYNC') === true) this.#flush.fail(error);
    }
  }

  /**
   * Is more than may be in the log that has not been begun anew? The log keeps its size, so the frame says so that would
   * be the first too many: it has the salt of the heading if it was written since (https://sqlite.org/walformat.html).
   *
   * The index of the log (`-shm`) has the number itself, but only SQLite may open that file: to close it within this
   * process takes all locks of this process from it. The next process would believe that it is alone, and begin the
   * index anew under ours, which is killed (SIGBUS) for reading what is no longer there. There are no locks on the log.
   */
  #isLong(): boolean {
    const log = openSync(`${this.#path}-wal`, 'r');
    try {
      const salt = saltAt(log, saltInHeading);
      return salt.length > 0 && saltAt(log, headingBytes + framesAllowed * frameBytes + saltInFrame).equals(salt);
    } finally {
      closeSync(log);
    }
  }

  /** What comes later is not copied, so that some of the log is always needed. */
  #readLog(): void {
    this.#reader ??= SqliteConnection.forReading<unknown>(this.#path);
    this.#reader.rollBack();
    this.#reader.beginRead();
  }

  /**
   * Most has been copied by now, so changes wait for little. The first change after it flushes the new beginning of the
   * log: one is made here, which changes nothing, so that no other one has to do so in the event loop.
   */
  async #restart(connection: Connection): Promise<void> {
    await this.#flush.settled();
    this.#reader?.rollBack();
    await connection.exec('pragma wal_checkpoint(restart)');
    const pragma = await connection.prepare('pragma user_version');
    const { user_version: version } = (await pragma.get()) as { user_version: number };
    await connection.exec(`pragma user_version = ${version}`);
  }

  async #opened(): Promise<Connection> {
    const connection: Connection = new Libsql(this.#path, {});
    await connection.exec(`pragma busy_timeout = ${restartTimeoutMs}`);
    await connection.exec('pragma synchronous = full');
    await connection.exec('pragma wal_autocheckpoint = 0');
    await connection.exec(`pragma journal_size_limit = ${mostWalBytes}`);
    return connection;
  }
}
