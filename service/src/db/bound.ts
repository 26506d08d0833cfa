import {
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Tx } from './db.ts';

/** Runs one compiled statement on one raw connection. */
export type RunStatement = (sql: string, parameters: readonly unknown[]) => Promise<QueryResult<unknown>>;

interface Grammar {
  readonly adapter: () => DialectAdapter;
  readonly compiler: () => QueryCompiler;
}

/**
 * A Kysely that lives on one raw connection and knows nothing of pools or transactions: begin and commit
 * belong to the engine around it, so code inside a transaction cannot leave it.
 */
export const boundTo = (grammar: Grammar, run: RunStatement): Tx => {
  const connection: DatabaseConnection = {
    executeQuery: <R>(query: { sql: string; parameters: readonly unknown[] }) =>
      run(query.sql, query.parameters) as Promise<QueryResult<R>>,
    streamQuery: () => {
      throw new Error('streaming is not used');
    },
  };
  const noTransactions = () => Promise.reject(new Error('transactions belong to the engine'));
  const driver: Driver = {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    releaseConnection: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
    beginTransaction: noTransactions,
    commitTransaction: noTransactions,
    rollbackTransaction: noTransactions,
  };
  const dialect: Dialect = {
    createDriver: () => driver,
    createAdapter: grammar.adapter,
    createQueryCompiler: grammar.compiler,
    createIntrospector: () => {
      throw new Error('introspection is not used');
    },
  };
  return new Kysely({ dialect });
};
