import { rawOf } from './bound-kysely.ts';
import type { Db } from './database.ts';

/** A value in any of our columns. */
export type Cell = string | number | null;

/** The inside of a transaction, for work on all tables alike: it knows none of them. */
export interface TableAccess {
  readonly engine: 'sqlite' | 'postgres';
  /** Runs one statement; values stand in it as `?`. */
  readonly all: (
    text: string,
    values?: readonly (Cell | boolean)[],
  ) => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export const tableAccess = (engine: TableAccess['engine'], tx: object): TableAccess => ({
  engine,
  all: async (text, values = []) => {
    const { rows } = await rawOf(tx).run(engine === 'sqlite' ? text : numbered(text), values, 'once');
    return rows as readonly Readonly<Record<string, unknown>>[];
  },
});

/** PostgreSQL counts its values. */
export const numbered = (text: string): string => {
  let count = 0;
  return text.replaceAll('?', () => `$${(count += 1)}`);
};

/** A database without the types of its tables. */
export interface UntypedDatabase {
  readonly read: <T>(work: (access: TableAccess) => Promise<T>) => Promise<T>;
  readonly write: <T>(work: (access: TableAccess) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

export const untypedDatabase = <Schema, Topic extends string>(db: Db<Schema, Topic>): UntypedDatabase => ({
  read: (work) => db.read((tx) => work(tableAccess(db.engine, tx))),
  write: (work) => db.write((tx) => work(tableAccess(db.engine, tx))),
  close: () => db.close(),
});
