import type { Vault } from '@corral/base/secrets/vault';
import type { Db, Tx } from '../db/open-obmd-database.ts';

/** One registered node, as it is stored. */
export interface StoredNode {
  readonly label: string;
  readonly type: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly tokenHash: string | null;
  readonly cycleUntil: number | null;
  readonly bootAfter: string | null;
}

/** What is remembered of every node. BMC secrets are sealed, tokens are only known by their hash. */
export class NodeStore {
  readonly #db: Db;
  readonly #vault: Vault;

  readonly #requireHold: (tx: Tx) => Promise<void>;

  /** `requireHold` throws where another process has the nodes by now: what it holds in memory must stay true. */
  constructor(db: Db, vault: Vault, requireHold: (tx: Tx) => Promise<void>) {
    this.#db = db;
    this.#vault = vault;
    this.#requireHold = requireHold;
  }

  async all(): Promise<StoredNode[]> {
    const rows = await this.#db.read((tx) => tx.selectFrom('obmd_nodes').selectAll().orderBy('label').execute());
    return rows.map((row) => ({
      label: row.label,
      type: row.type,
      info: JSON.parse(this.#vault.open(row.info)) as Record<string, unknown>,
      tokenHash: row.token_hash,
      cycleUntil: row.cycle_until,
      bootAfter: row.boot_after,
    }));
  }

  /** Stores a node again: its old token is invalid. */
  async put(label: string, type: string, info: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#write((tx) => {
      const sealed = this.#vault.seal(JSON.stringify(info));
      const values = { type, info: sealed, token_hash: null, cycle_until: null, boot_after: null };
      return tx
        .insertInto('obmd_nodes')
        .values({ label, ...values })
        .onConflict((conflict) => conflict.column('label').doUpdateSet(values))
        .execute();
    });
  }

  async remove(label: string): Promise<void> {
    await this.#write((tx) => tx.deleteFrom('obmd_nodes').where('label', '=', label).execute());
  }

  /** What the holder of the last token had begun ends with it. */
  async setToken(label: string, token_hash: string | null): Promise<void> {
    await this.#write((tx) =>
      tx
        .updateTable('obmd_nodes')
        .set({ token_hash, cycle_until: null, boot_after: null })
        .where('label', '=', label)
        .execute(),
    );
  }

  /** What the machine boots from again after the next boot; as with `setCycle`, only while the token counts. */
  async setBootAfter(label: string, token_hash: string, boot_after: string | null): Promise<void> {
    await this.#setWhile(label, token_hash, { boot_after });
  }

  /** Only while the token counts that it was asked with: what it began is nothing to the holder of the next. */
  async setCycle(label: string, token_hash: string, cycle_until: number | null): Promise<void> {
    await this.#setWhile(label, token_hash, { cycle_until });
  }

  async #write(work: (tx: Tx) => Promise<unknown>): Promise<void> {
    await this.#db.write(async (tx) => {
      await this.#requireHold(tx);
      await work(tx);
    });
  }

  async #setWhile(
    label: string,
    token_hash: string,
    values: { readonly boot_after: string | null } | { readonly cycle_until: number | null },
  ): Promise<void> {
    await this.#write((tx) =>
      tx
        .updateTable('obmd_nodes')
        .set(values)
        .where('label', '=', label)
        .where('token_hash', '=', token_hash)
        .execute(),
    );
  }
}
