import { Statement } from '@corral/base/db/prepared-statement';
import type { Compilable } from 'kysely';
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

export type RowOf<S> = S extends { first(...args: never): Promise<infer Row> } ? NonNullable<Row> : never;
