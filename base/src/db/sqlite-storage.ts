import { CommitFlush } from './commit-flush.ts';
import { DurableSnapshots } from './durable-snapshots.ts';
import { LogCheckpoints } from './log-checkpoints.ts';
import { Mutex } from './mutex.ts';

/**
 * What the databases of this process share that are in the same file: turns at writing, because two of ours must not
 * wait in SQLite, where the first could not go on; and how their commits get to the disk.
 */
export class SqliteStorage {
  readonly turns = new Mutex();
  readonly snapshots: DurableSnapshots;
  readonly flush: CommitFlush;
  readonly #checkpoints: LogCheckpoints;
  readonly #path: string;
  #users = 0;

  static at(path: string): SqliteStorage {
    const storage = byPath.get(path) ?? new SqliteStorage(path);
    byPath.set(path, storage);
    storage.#users += 1;
    return storage;
  }

  private constructor(path: string) {
    this.#path = path;
    this.snapshots = new DurableSnapshots(path);
    this.flush = new CommitFlush(path, this.snapshots, this.turns);
    this.#checkpoints = new LogCheckpoints(path, this.turns, this.flush);
  }

  /** Commits one change, in its turn. `flush.settled` says when it is on the disk. */
  commit(commit: () => void): void {
    this.flush.commit(commit);
    this.#checkpoints.changed();
  }

  /** Resolves when the log has everything; a flush that fails was the failure of those who waited for it. */
  async close(): Promise<void> {
    await this.turns.run(() => Promise.resolve());
    await this.flush.settled().catch(() => undefined);
    this.#users -= 1;
    if (this.#users > 0) return;
    if (byPath.get(this.#path) === this) byPath.delete(this.#path);
    await this.#checkpoints.close();
    this.flush.close();
    this.snapshots.close();
  }
}

const byPath = new Map<string, SqliteStorage>();
