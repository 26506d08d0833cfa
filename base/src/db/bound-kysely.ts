import {
  type Compilable,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Tx } from './transaction.ts';

/** How often a text comes: now and then, or again and again, wanting all its rows or only the first. */
type StatementUse = 'once' | 'all' | 'first';

/** Runs one compiled statement on one raw connection. */
export type RunStatement = (
  sql: string,
  parameters: readonly unknown[],
  use: StatementUse,
) => Promise<QueryResult<unknown>>;

/**
 * Runs a statement whose result nobody needs. An engine that can sends it and does not wait for the answer: if it fails,
 * so do the statements after it and the commit.
 */
type SendStatement = (sql: string, parameters: readonly unknown[], use: StatementUse) => Promise<void>;

/** How one engine writes SQL. */
export interface SqlDialect {
  readonly adapter: () => DialectAdapter;
  readonly compiler: () => QueryCompiler;
  /** Can a read lock its rows until the transaction ends? With one writer at a time there is nothing to lock against. */
  readonly locksRows: boolean;
}

/**
 * A Kysely that lives on one raw connection and knows nothing of pools or transactions: begin and commit
 * belong to the engine around it, so code inside a transaction cannot leave it.
 */
export const boundTo = <Schema>(
  dialect: SqlDialect,
  run: RunStatement,
  send: SendStatement = async (...statement) => {
    await run(...statement);
  },
): Tx<Schema> => {
  const connection: DatabaseConnection = {
    executeQuery: <R>(query: { sql: string; parameters: readonly unknown[] }) =>
      run(query.sql, query.parameters, 'once') as Promise<QueryResult<R>>,
    streamQuery: () => {
      throw new Error('streaming is not supported');
    },
  };
  const noTransactions = () => Promise.reject(new Error('only the engine manages transactions'));
  const driver: Driver = {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    releaseConnection: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
    beginTransaction: noTransactions,
    commitTransaction: noTransactions,
    rollbackTransaction: noTransactions,
  };
  const kyselyDialect: Dialect = {
    createDriver: () => driver,
    createAdapter: dialect.adapter,
    createQueryCompiler: dialect.compiler,
    createIntrospector: () => {
      throw new Error('introspection is not supported');
    },
  };
  const tx: Tx<Schema> = new Kysely({ dialect: kyselyDialect });
  raws.set(tx, { dialect, run, send });
  return tx;
};

interface Raw {
  readonly dialect: SqlDialect;
  readonly run: RunStatement;
  readonly send: SendStatement;
}

const raws = new WeakMap<object, Raw>();

/** Runs a query whose result nobody needs, and does not wait for the answer where the engine need not. */
export const send = async (tx: object, query: Compilable): Promise<void> => {
  const { sql, parameters } = query.compile();
  await rawOf(tx).send(sql, parameters, 'once');
};

/** Can reads in this transaction lock rows (`for share`)? */
export const locksRows = (tx: object): boolean => rawOf(tx).dialect.locksRows;

/** The connection under a transaction: for statements that are compiled already. */
export const rawOf = (tx: object): Raw => {
  const raw = raws.get(tx);
  if (raw === undefined) throw new Error('this transaction was not created by an engine');
  return raw;
};
