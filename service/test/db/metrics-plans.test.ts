import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/service-database.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import { queueQueries } from '../../src/server/queue-metrics.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { engines, migratedPostgres } from '../support/services/engines.ts';
import { serviceForTest } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { connect, detach, makeNetwork, makeNode, makeProject, reserve } from '../support/services/world.ts';

const count = 20_000;

/** An installation that has run for long: leases of headnodes that are gone, and an action that is over on every nic. */
const fill = (db: Db): Promise<unknown> =>
  db.write(async (tx) => {
    const numbers =
      db.engine === 'sqlite'
        ? sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) as n`
        : sql`generate_series(1, ${sql.lit(count)}) as n(i)`;
    // Ids are given by the database, unless one insists.
    const given = sql.raw(db.engine === 'sqlite' ? '' : 'overriding system value');
    const write = (text: ReturnType<typeof sql>) => text.execute(tx);
    await write(
      sql`insert into leases (name, holder, fence, expires_at) select 'headnode/' || i, 'h', 1, 0 from ${numbers}`,
    );
    await write(sql`insert into switches (id, label, type, config) ${given} values (1, 'sw', 'mock', 'x')`);
    await write(
      sql`insert into nodes (id, label, metadata, obm_uri, obm_admin_token) ${given} values (1, 'n', '{}', 'u', 't')`,
    );
    await write(sql`insert into ports (id, switch_id, label) ${given} select i, 1, 'p' || i from ${numbers}`);
    await write(
      sql`insert into nics (id, node_id, label, macaddr, port_id) ${given} select i, 1, 'e' || i, 'm', i from ${numbers}`,
    );
    await write(sql`insert into actions (status_id, nic_id, kind, channel, status, created_at)
      select 's' || i, i, 'revert', '', case when i % 1000 = 0 then 'PENDING' else 'DONE' end, i from ${numbers}`);
  });

describe.each(engines)('what metrics ask of the database on %s', (engine) => {
  let db: Db;
  let directory: string;
  beforeAll(async () => {
    directory = await dataDirectory('corral-metrics-plans-');
    db = await openDatabase(
      engine === 'sqlite'
        ? { engine, path: join(directory, 'corral.db') }
        : { engine, url: await migratedPostgres('corral', openDatabase), connections: 2 },
    );
    await fill(db);
    await db.write((tx) => sql`analyze`.execute(tx));
  });
  afterAll(async () => {
    await db.close();
    await rm(directory, { recursive: true, force: true });
  });

  const planOf = (name: 'pending' | 'failed' | 'leases'): Promise<string> =>
    db.read(async (tx) => {
      const { sql: text, parameters } = queueQueries(db.now, tx)[name].compile();
      const explain = engine === 'sqlite' ? 'explain query plan ' : 'explain ';
      const { rows } = await sql
        .raw<Record<string, string>>(explain + text.replaceAll('?', String(parameters[0])))
        .execute(tx);
      return rows.map((row) => row['detail'] ?? row['QUERY PLAN'] ?? '').join('\n');
    });

  it('finds what is pending by its own index, whatever is over', async () => {
    expect(await planOf('pending')).toMatch(/one_pending_action_per_nic/);
    const rows = await db.read((tx) => queueQueries(db.now, tx).pending.execute());
    expect(rows).toEqual([{ switch: 'sw', count: count / 1000, oldest: 1000 }]);
  });

  it('finds what failed by its own index, and does not count what went well', async () => {
    expect(await planOf('failed')).toMatch(/failed_actions/);
    expect(await db.read((tx) => queueQueries(db.now, tx).failed.execute())).toEqual([]);
  });

  it('looks up the leases of switches, however many others were left', async () => {
    const plan = await planOf('leases');
    expect(plan).toMatch(/one_lease_per_name|sqlite_autoindex_leases/);
    expect(plan).not.toMatch(/SCAN leases|Seq Scan on leases/);
  });

  it('has one action that is over on record for each nic, however often its port was changed', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
    await makeNode(service, 'n1', ['eth0']);
    await reserve(service, 'red', 'n1');
    for (let round = 0; round < 3; round += 1) {
      await connect(service, 'n1', 'eth0', 'net');
      await detach(service, 'n1', 'eth0', 'net');
    }
    const query = 'select id from actions';
    expect(await runSql(service, { sqlite: query, postgres: query })).toHaveLength(1);
  });
});
