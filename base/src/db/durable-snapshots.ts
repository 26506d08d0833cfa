import { SqliteConnection } from './sqlite-connection.ts';
import type { Tx } from './transaction.ts';

/** A moment of the file, for as long as its read transaction is open. */
interface Snapshot {
  readonly connection: SqliteConnection<unknown>;
  readers: number;
  isRetired: boolean;
}

/**
 * What readers get while commits wait for their flush: the file as the last flush left it. So nobody sees a change
 * that a power failure could still take back, and no reader waits for the disk. While nothing waits there is no
 * snapshot, and readers see the newest state.
 */
export class DurableSnapshots {
  readonly #path: string;
  readonly #idle: SqliteConnection<unknown>[] = [];
  #durable: Snapshot | null = null;
  #next: Snapshot | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** For single statements; null: everything is on the disk. */
  get connection(): SqliteConnection<unknown> | null {
    return this.#durable?.connection ?? null;
  }

  /** Several readers share a snapshot: none of them writes, and it stays the same for all. */
  async read<T>(work: (tx: Tx<unknown>) => Promise<T>): Promise<T> {
    const snapshot = this.#durable;
    if (snapshot === null) throw new Error('there is no snapshot: everything is on the disk');
    snapshot.readers += 1;
    try {
      return await work(snapshot.connection.tx);
    } finally {
      snapshot.readers -= 1;
      this.#recycle(snapshot);
    }
  }

  /** Before a commit, when everything is on the disk. */
  hold(): void {
    this.#durable = this.#taken();
  }

  /** When a flush begins: what it is about to put on the disk. */
  prepareNext(): void {
    this.#next = this.#taken();
  }

  /** When a flush has succeeded and newer commits wait for the next one. */
  advance(): void {
    const old = this.#durable;
    this.#durable = this.#next;
    this.#next = null;
    this.#retire(old);
  }

  /** When everything is on the disk. */
  release(): void {
    const old = [this.#durable, this.#next];
    this.#durable = this.#next = null;
    for (const snapshot of old) this.#retire(snapshot);
  }

  close(): void {
    this.release();
    for (const connection of this.#idle) connection.close();
    this.#idle.length = 0;
  }

  #taken(): Snapshot {
    const connection = this.#idle.pop() ?? SqliteConnection.forReading<unknown>(this.#path);
    try {
      connection.beginRead();
    } catch (error) {
      connection.close();
      throw error;
    }
    return { connection, readers: 0, isRetired: false };
  }

  #retire(snapshot: Snapshot | null): void {
    if (snapshot === null) return;
    snapshot.isRetired = true;
    this.#recycle(snapshot);
  }

  #recycle({ connection, readers, isRetired }: Snapshot): void {
    if (!isRetired || readers > 0) return;
    connection.rollBack();
    this.#idle.push(connection);
  }
}
