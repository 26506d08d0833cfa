import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { DatabaseUnavailable } from './database-fault.ts';
import type { DurableSnapshots } from './durable-snapshots.ts';
import type { Mutex } from './mutex.ts';

/** A disk that flushes in less than this is waited for by a change that is alone: a thread's wake-up takes longer. */
const quickMs = 1;

/**
 * Puts commits on the disk. SQLite only writes them to its log; nothing that depends on one happens before the log was
 * flushed. Flushes run in the thread pool, so the event loop goes on, and all commits that wait share the next one.
 */
export class CommitFlush {
  readonly #log: string;
  readonly #snapshots: DurableSnapshots;
  readonly #turns: Pick<Mutex, 'isIdle'>;
  #descriptor: number | null = null;
  /** How many commits there were, and how many of them are on the disk. */
  #committed = 0;
  #flushed = 0;
  #running: Promise<void> | null = null;
  #failure: DatabaseUnavailable | null = null;
  #lastMs = 0;

  constructor(path: string, snapshots: DurableSnapshots, turns: Pick<Mutex, 'isIdle'>) {
    this.#log = `${path}-wal`;
    this.#snapshots = snapshots;
    this.#turns = turns;
  }

  /** The system may have dropped what it failed to write, and no later flush says so: nothing more is stored. */
  requireSound(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  get hasFailed(): boolean {
    return this.#failure !== null;
  }

  /** Commits, and keeps the result from readers until it is on the disk. */
  commit(commit: () => void): void {
    const isFirst = this.#committed === this.#flushed;
    if (isFirst) this.#snapshots.hold();
    try {
      commit();
    } catch (error) {
      if (isFirst) this.#snapshots.release();
      throw error;
    }
    this.#committed += 1;
  }

  /** Resolves when every commit up to now is on the disk. */
  async settled(): Promise<void> {
    const commit = this.#committed;
    while (this.#flushed < commit) {
      this.requireSound();
      await (this.#running ??= this.#flush());
    }
  }

  fail(error: unknown): void {
    this.#failure ??= new DatabaseUnavailable('unflushed', error, 'at commit');
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  /** Commits of the same turn of the event loop come along. */
  async #flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const upTo = this.#committed;
    const began = performance.now();
    try {
      this.#descriptor ??= openSync(this.#log, 'r+');
      if (this.#isWorthAThread(upTo)) await flushed(this.#descriptor);
      else fdatasyncSync(this.#descriptor);
      this.#flushed = upTo;
      if (this.#committed === upTo) this.#snapshots.release();
      else this.#snapshots.advance();
    } catch (error) {
      this.fail(error);
    } finally {
      this.#lastMs = performance.now() - began;
      this.#running = null;
    }
  }

  /** What readers get afterwards has to be held before the next commit. If that is impossible, no commit may come in. */
  #isWorthAThread(upTo: number): boolean {
    if (upTo - this.#flushed === 1 && this.#turns.isIdle && this.#lastMs < quickMs) return false;
    try {
      this.#snapshots.prepareNext();
      return true;
    } catch {
      return false;
    }
  }
}

const flushed = (descriptor: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)));
  });
