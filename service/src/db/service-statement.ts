import { ListStatement, Statement } from '@corral/base/db/prepared-statement';
import { type Compilable, sql } from 'kysely';
import type { Tx } from './service-database.ts';
import type { Database } from './service-schema.ts';

/** Names a statement whose text is the same at every call. */
export const statement = <Values extends object, Row>(
  build: (tx: Tx, values: Values) => Compilable<Row>,
): Statement<Database, Values, Row> => new Statement(build, false);

/** Names a read that always finds exactly one row. */
export const aggregate = <Values extends object, Row>(
  build: (tx: Tx, values: Values) => Compilable<Row>,
): Statement<Database, Values, Row> => new Statement(build, true);

/** Names a statement whose text depends on the number of items of a list. */
export const listStatement = <Item, Values extends object, Row>(
  build: (tx: Tx, list: readonly Item[], values: Values) => Compilable<Row>,
): ListStatement<Database, Item, Values, Row> => new ListStatement(build);

export type RowOf<S> = S extends { first(...args: never): Promise<infer Row> } ? NonNullable<Row> : never;

/**
 * Part of the text of a statement, not one of its values: an index of pending actions is used only then, and SQLite
 * would prepare the statement again at every call to see whether it can be (70 µs against 15 µs).
 */
export const pending = sql.lit('PENDING' as const);
