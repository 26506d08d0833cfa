import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../src/db/open.ts';
import { migratedPostgres } from './support/engines.ts';

it('PostgreSQL ends the transaction of a process that sleeps, and with it its locks, after ten seconds', async () => {
  const url = await migratedPostgres('corral', openDatabase);
  const db = await openDatabase({ engine: 'postgres', url, connections: 1 });
  onTestFinished(() => db.close());
  const { rows } = await db.write((tx) => sql`show idle_in_transaction_session_timeout`.execute(tx));
  expect(rows).toEqual([{ idle_in_transaction_session_timeout: '10s' }]);
});
