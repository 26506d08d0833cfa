import { sql } from 'kysely';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, systemCaller } from '../../src/core/caller.ts';
import { usageIn } from '../../src/core/usage.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import type { Db } from '../../src/db/service-database.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { engines, migratedPostgres } from '../support/services/engines.ts';

const count = 60_000;
const hourMs = 3_600_000;
const began = Date.UTC(2020, 0);

/** Almost seven years of reservations of an hour, one after the other, by ten projects. */
const fill = (db: Db): Promise<unknown> =>
  db.write((tx) => {
    const numbers =
      db.engine === 'sqlite'
        ? sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) as n`
        : sql`generate_series(1, ${sql.lit(count)}) as n(i)`;
    return sql`insert into usage_spans (node, class, project_id, project, kind, from_at, until_at)
      select 'n' || (i % 300), 'gpu', i % 10, 'p' || (i % 10), 'reserved',
        ${sql.lit(began)} + cast(i as bigint) * ${sql.lit(hourMs)}, ${sql.lit(began)} + cast(i + 1 as bigint) * ${sql.lit(hourMs)}
      from ${numbers}`.execute(tx);
  });

describe.each(engines)('usage of one month out of many years on %s', (engine) => {
  let db: Db;
  let directory: string;
  beforeAll(async () => {
    directory = await dataDirectory('corral-usage-plans-');
    db = await openDatabase(
      engine === 'sqlite'
        ? { engine, path: join(directory, 'usage.db') }
        : { engine, url: await migratedPostgres('corral', openDatabase), connections: 2 },
    );
    await fill(db);
    await db.write((tx) => sql`analyze`.execute(tx));
  });
  afterAll(async () => {
    await db.close();
    await rm(directory, { recursive: true, force: true });
  });

  const member: Caller = { kind: 'user', name: 'ada', admin: false, projects: new Set(['p1', 'p2']) };

  it.each([
    ['an administrator', systemCaller],
    ['a member', member],
  ] as const)('is found without a look at all of them, for %s', async (_, caller) => {
    const windows = [{ from: Date.UTC(2022, 5), to: Date.UTC(2022, 6) }];
    const plan = await db.read(async (tx) => {
      const query = usageIn({ caller }, windows, { by: ['project', 'node'], limit: 1000, after: 0 });
      const explain = sql.raw(engine === 'sqlite' ? 'explain query plan ' : 'explain ');
      const { rows } = await sql<Record<string, string>>`${explain}${query}`.execute(tx);
      return rows.map((row) => row['detail'] ?? row['QUERY PLAN'] ?? '').join('\n');
    });
    expect(plan).toMatch(/usage_spans_by_(time|project)/);
    expect(plan).not.toMatch(/Seq Scan on usage_spans|SCAN usage_spans(?! USING)/);
    // From both sides: not everything after the beginning of the month.
    expect(plan).toMatch(/from_at < .*from_at > |from_at>\? AND from_at<\?/);
  });
});
