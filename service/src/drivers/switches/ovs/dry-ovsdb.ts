import type { Operation, OvsdbTransactions, Transacted } from './ovsdb.ts';

/** Operations that change nothing. */
const asking: readonly string[] = ['select', 'wait'];

/** The number of a configuration that every switch has applied. */
const appliedLongAgo = 0;

/** Carries questions only: a transaction that would change the database is given to `held`, and taken for done. */
export class DryOvsdb implements OvsdbTransactions {
  readonly #ovsdb: OvsdbTransactions;
  readonly #held: (message: string) => void;

  constructor(ovsdb: OvsdbTransactions, held: (message: string) => void) {
    this.#ovsdb = ovsdb;
    this.#held = held;
  }

  async transact(operations: readonly Operation[], signal: AbortSignal): Promise<Transacted> {
    if (operations.every(({ op }) => asking.includes(op))) return this.#ovsdb.transact(operations, signal);
    signal.throwIfAborted();
    this.#held(JSON.stringify({ method: 'transact', params: ['Open_vSwitch', ...operations] }));
    const rows = [{ next_cfg: appliedLongAgo }];
    return { committed: true, results: operations.map(({ op }) => (op === 'select' ? { rows } : { count: 1 })) };
  }

  close(): Promise<void> {
    return this.#ovsdb.close();
  }
}
