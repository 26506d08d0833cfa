import type { Db, Tx } from '../db/database.ts';
import { type RawBuilder, sql } from 'kysely';
import { prefixOf, sealedPrefixes } from './sealing.ts';

/** A column that holds sealed values; `key` is the column that tells its rows apart. */
export interface SealedColumn {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  /** Rows, by their keys, whose value is no secret and is not sealed. */
  readonly plain?: readonly string[];
}

/** One sealed value, and where it is. */
export interface SealedValue {
  readonly key: string | number;
  readonly sealed: string;
}

/** A sealed value, and what is to stand in its place. */
export interface Resealed extends SealedValue {
  readonly anew: string;
}

/** The sealed values of one database, whatever tables it has. */
export interface SealedStore {
  /** How to call it to an operator. */
  readonly name: string;
  readonly columns: readonly SealedColumn[];
  /** How many values there are that this key did not seal. */
  countOthers(keyId: string): Promise<number>;
  /** The next of them in one column, in the order of their keys. */
  others(column: SealedColumn, keyId: string, after: SealedValue['key'] | null, limit: number): Promise<SealedValue[]>;
  /** Puts new values where the old ones still are; how many that was. */
  swap(column: SealedColumn, values: readonly Resealed[]): Promise<number>;
}

export const sealedStoreIn = <Schema, Topic extends string>(
  name: string,
  db: Db<Schema, Topic>,
  columns: readonly SealedColumn[],
): SealedStore => ({
  name,
  columns,
  countOthers: (keyId) =>
    db.read(async (tx) => {
      let count = 0;
      for (const column of columns) count += await countIn(tx, column, keyId);
      return count;
    }),
  others: (column, keyId, after, limit) =>
    db.read(async (tx) => {
      const key = sql.ref(column.key);
      const beyond = after === null ? sql`` : sql`and ${key} > ${after}`;
      const { rows } = await sql<SealedValue>`select ${key} as key, ${sql.ref(column.column)} as sealed
        from ${sql.table(column.table)} where ${isOther(column, keyId)} ${beyond} order by ${key} limit ${limit}`.execute(
        tx,
      );
      return rows;
    }),
  swap: (column, values) =>
    db.write(async (tx) => {
      const cell = sql.ref(column.column);
      let swapped = 0n;
      for (const { key, sealed, anew } of values) {
        const { numAffectedRows = 0n } = await sql`update ${sql.table(column.table)} set ${cell} = ${anew}
          where ${sql.ref(column.key)} = ${key} and ${cell} = ${sealed}`.execute(tx);
        swapped += numAffectedRows;
      }
      return Number(swapped);
    }),
});

const countIn = async <Schema>(tx: Tx<Schema>, column: SealedColumn, keyId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(column.table)}
    where ${isOther(column, keyId)}`.execute(tx);
  return rows[0]?.count ?? 0;
};

/** Sealed, and not with this key. */
const isOther = ({ column }: SealedColumn, keyId: string): RawBuilder<unknown> => {
  const cell = sql.ref(column);
  const [one, two] = sealedPrefixes;
  return sql`(${cell} like ${`${one}%`} or (${cell} like ${`${two}%`} and ${cell} not like ${`${prefixOf(keyId)}%`}))`;
};
