import type { Db, Tx } from '../db/database.ts';
import { sql } from 'kysely';

const name = 'key_check';

/** Where the check value is stored that detects a wrong key. */
export interface KeyCheck {
  /** The sealed word; null: there is none yet. */
  recall(): Promise<string | null>;
  /** Keeps one if there is none yet, and gives the one that is kept. */
  remember(sealed: string): Promise<string>;
}

/** Keeps the word in a table of names and values. The first one stays. */
export const keyCheckIn = <Schema, Topic extends string>(db: Db<Schema, Topic>, table: string): KeyCheck => {
  const recall = async (tx: Tx<Schema>): Promise<string | null> => {
    const { rows } = await sql<{ value: string }>`select value from ${sql.table(table)} where name = ${name}`.execute(
      tx,
    );
    return rows[0]?.value ?? null;
  };
  return {
    recall: () => db.read(recall),
    remember: (value) =>
      db.write(async (tx) => {
        const kept = await recall(tx);
        if (kept === null)
          await sql`insert into ${sql.table(table)} (name, value) values (${name}, ${value})`.execute(tx);
        return kept ?? value;
      }),
  };
};
