import { hostname } from 'node:os';
import { ConfigError } from '../config/config-error.ts';
import type { Db, Tx } from '../db/database.ts';
import { sql } from 'kysely';
import { isProcessGone, processNamespace } from '../process-namespace.ts';

/** One rotation of a database's key at a time, over all machines. */
export interface RotationLock {
  /** Refused while another one is under way. */
  take(): Promise<void>;
  /** Keeps it a while longer; throws if it passed to another one. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

const name = 'key_rotation';
const holdMs = 15_000;

interface Holder {
  readonly host: string;
  readonly namespace: string;
  readonly pid: number;
  readonly until: number;
}

/** Keeps the lock as a row in a table of names and values. */
export const rotationLockIn = <Schema, Topic extends string>(db: Db<Schema, Topic>, table: string): RotationLock => {
  const settings = sql.table(table);
  let ours: string | null = null;

  const nextValue = async (tx: Tx<Schema>): Promise<{ now: number; value: string }> => {
    const { rows } = await sql<{ now: number }>`select ${db.now} as now`.execute(tx);
    const now = rows[0]?.now ?? 0;
    const holder: Holder = { host: hostname(), namespace: processNamespace(), pid: process.pid, until: now + holdMs };
    return { now, value: JSON.stringify(holder) };
  };

  return {
    take: async () => {
      ours = await db.write(async (tx) => {
        const { now, value } = await nextValue(tx);
        const { rows } = await sql<{ value: string }>`select value from ${settings} where name = ${name}`.execute(tx);
        const held = rows[0] === undefined ? null : (JSON.parse(rows[0].value) as Holder);
        if (held !== null && held.until > now && !isProcessGone(held.namespace, held.pid)) {
          throw new ConfigError([
            `another rotate-key is running (process ${held.pid} on ${held.host}); wait until it ends, or ${Math.ceil((held.until - now) / 1000)} seconds if it was killed`,
          ]);
        }
        await sql`delete from ${settings} where name = ${name}`.execute(tx);
        await sql`insert into ${settings} (name, value) values (${name}, ${value})`.execute(tx);
        return value;
      });
    },
    renew: async () => {
      ours = await db.write(async (tx) => {
        const { value } = await nextValue(tx);
        const { numAffectedRows = 0n } =
          await sql`update ${settings} set value = ${value} where name = ${name} and value = ${ours}`.execute(tx);
        if (numAffectedRows === 1n) return value;
        throw new Error('this rotate-key took too long and another one has taken over; run it again later');
      });
    },
    release: async () => {
      await db.write((tx) => sql`delete from ${settings} where name = ${name} and value = ${ours}`.execute(tx));
    },
  };
};
