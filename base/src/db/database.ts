import type { RawBuilder } from 'kysely';
import type { ChangeNotifier } from './change-notifier.ts';
import type { Condition } from './database-fault.ts';
import type { Statement } from './prepared-statement.ts';
import type { Tx } from './transaction.ts';

export type { Tx } from './transaction.ts';

/** How a write wants to run. */
export interface WriteOptions {
  /**
   * A name that many writers may fight over (the VLAN pool, one node). Writers of the same name queue
   * instead of aborting each other. SQLite has one writer at a time and ignores it.
   */
  readonly queue?: string;
  /** A renewal that comes too late if it waits for its turn behind other writes of this process. */
  readonly isUrgent?: boolean;
}

/** One database, either engine. Every piece of work is one serializable transaction. */
export interface Db<Schema, Topic extends string> {
  readonly engine: 'sqlite' | 'postgres';
  /** A consistent view of everything; no writes. */
  read<T>(work: (tx: Tx<Schema>) => Promise<T>): Promise<T>;
  /** One hot read: a single statement, compiled once, with no transaction around it. */
  readonly query: <Values extends object, Row>(
    statement: Statement<Schema, Values, Row>,
    values: Values,
  ) => Promise<Row[]>;
  /** Two hot reads, asked together: the second sees at least what the first saw. */
  readonly queryPair: <First extends object, FirstRow, Second extends object, SecondRow>(
    first: readonly [Statement<Schema, First, FirstRow>, First],
    second: readonly [Statement<Schema, Second, SecondRow>, Second],
  ) => Promise<[FirstRow[], SecondRow[]]>;
  /** May run `work` more than once: it must have no effect but through `tx`. */
  write<T>(work: (tx: Tx<Schema>) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Whether changes can be stored, as the last attempts showed. */
  readonly condition: Condition;
  /** Finds out whether changes can be stored now; throws DatabaseUnavailable. Leaves no trace. */
  probe(): Promise<void>;
  /** The database's own clock in milliseconds: replicas on several machines agree on it. */
  readonly now: RawBuilder<number>;
  /** Announced after commit, to this process at once and to the other replicas. */
  readonly changes: ChangeNotifier<Topic>;
  /** Tells the other replicas, as part of the transaction. */
  announce(tx: Tx<Schema>, topics: readonly Topic[]): Promise<void>;
  /** Tells the other replicas in a moment, after the commit. If the process ends before, they have to find it out. */
  announceSoon(topic: Topic): void;
  readonly statistics: Statistics;
  close(): Promise<void>;
}

/** What `/metrics` tells of the database. */
export interface Statistics {
  reads: number;
  writes: number;
  retries: number;
}
