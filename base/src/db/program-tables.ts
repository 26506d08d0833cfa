import type { Migration } from './migrations.ts';
import type { Table } from './table-columns.ts';

/** What one program keeps in a database. Two programs may share a PostgreSQL: their tables have different names. */
export interface ProgramTables<Topic extends string> {
  /** Who is connected, as PostgreSQL shows it, and the channel on which replicas hear each other. */
  readonly name: string;
  /** The table that says which migrations were applied. */
  readonly history: string;
  readonly migrations: readonly Migration[];
  /** Every table but the history, each after those that it refers to. */
  readonly tables: readonly Table[];
  readonly topics: readonly Topic[];
  /** Did a constraint speak that the program has a sentence for? */
  readonly isVerdict: (error: unknown) => boolean;
}

/** Brought up to date when it is opened, or taken as it is. */
export type Opening = 'up to date' | 'as it is';
