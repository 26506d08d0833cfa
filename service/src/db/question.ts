import type { CompiledQuery, Compilable } from 'kysely';
import type { Tx } from './db.ts';

/*
 * Kysely builds and compiles a query anew at every call: for a join over seven tables that is more work
 * than the query itself. The few hottest reads are one statement each, compiled once for each engine and
 * run outside a transaction: a single statement is a snapshot of its own.
 */

/** One read, with one text value in it that changes from call to call. */
export interface Question<Row> {
  readonly build: (tx: Tx, value: string) => Compilable<Row>;
  /** An aggregate: always exactly one row. */
  readonly isOneRow: boolean;
}

export type RowOf<Q> = Q extends Question<infer Row> ? Row : never;

/** Names a read. Its rows come in no particular order. */
export const question = <Row>(build: Question<Row>['build']): Question<Row> => ({ build, isOneRow: false });

/** Names a read that always finds exactly one row. */
export const aggregate = <Row>(build: Question<Row>['build']): Question<Row> => ({ build, isOneRow: true });

/** Stands for the value while a query is compiled. No label can be equal to it. */
const placeholder = '\0value';

/** A compiled question: its text, and the values to send for a call. */
export interface Compiled {
  readonly sql: string;
  readonly parametersFor: (value: string) => unknown[];
}

export const compile = <Row>(tx: Tx, { build }: Question<Row>): Compiled => {
  const { sql, parameters }: CompiledQuery<Row> = build(tx, placeholder).compile();
  return {
    sql,
    parametersFor: (value) => parameters.map((parameter) => (parameter === placeholder ? value : parameter)),
  };
};
