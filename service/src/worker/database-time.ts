import { sql } from 'kysely';
import type { Db, Tx } from '../db/service-database.ts';

/** The time by the database's clock, which all processes share. */
export const databaseTime = async (tx: Tx, clock: Db['now']): Promise<number> => {
  const { rows } = await sql<{ now: number }>`select ${clock} as now`.execute(tx);
  return Number(rows[0]?.now);
};
