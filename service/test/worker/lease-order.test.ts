import { describe, expect, it, onTestFinished } from 'vitest';
import type { FreeLease } from '@corral/base/db/lease-table';
import { LeaseLost, requireLease } from '../../src/core/leases.ts';
import type { WriteOp } from '../../src/core/request-context.ts';
import type { Db, Tx } from '../../src/db/service-database.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import { leaseTable } from '../../src/db/service-leases.ts';
import { leaveInDoubt } from '../../src/worker/late-writes.ts';
import type { PortTask } from '../../src/worker/port-task.ts';
import { engines, migratedPostgres } from '../support/services/engines.ts';
import { gate } from '../support/services/obm-rack.ts';
import { serviceForTest } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { makeNetwork, makeNode, makeProject } from '../support/services/world.ts';

const opIn = (db: Db, tx: Tx): WriteOp =>
  ({ tx, now: db.now, record: () => undefined, notify: () => undefined }) as unknown as WriteOp;

const opened = async (url: string): Promise<Db> => {
  const db = await openDatabase({ engine: 'postgres', url, connections: 3 });
  onTestFinished(() => db.close());
  return db;
};

describe.runIf(engines.includes('postgres'))('a process that is stopped before it commits, on postgres', () => {
  it('keeps its lease until that is over, and records nothing once somebody else has it', async () => {
    const url = await migratedPostgres('corral', openDatabase);
    const [sleeper, other] = [await opened(url), await opened(url)];
    const name = 'switch/1';
    const claim = (db: Db, seen: FreeLease['seen'], holder: string) =>
      db.write((tx) => leaseTable.claim(opIn(db, tx), { name, seen }, holder, 60_000));
    const lease = await claim(sleeper, null, 'sleeper');
    if (lease === null) throw new Error('a lease that nobody has is free');
    const seen = await sleeper.read((tx) => tx.selectFrom('leases').selectAll().executeTakeFirstOrThrow());
    const [asleep, awake] = [gate(), gate()];
    onTestFinished(() => awake.open());
    const order: string[] = [];
    const settling = sleeper
      .write(async (tx) => {
        await requireLease(opIn(sleeper, tx), lease);
        asleep.open();
        await awake.opened;
      })
      .then(() => order.push('settled'));
    await asleep.opened;
    const claiming = claim(other, seen, 'other').then(() => order.push('claimed'));
    await expect
      .poll(() => runSql({ env: { CORRAL_DATABASE_URL: url }, dataDir: '' }, { sqlite: '', postgres: waiting }), {
        timeout: 20_000,
      })
      .toHaveLength(1);
    awake.open();
    await Promise.all([settling, claiming]);
    // The other way round, the other would go on from what was there before.
    expect(order).toEqual(['settled', 'claimed']);
    await expect(sleeper.write((tx) => requireLease(opIn(sleeper, tx), lease))).rejects.toThrow(LeaseLost);
  });
});

const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;

describe.each(engines)('a process that finds that it lost a switch, on %s', (engine) => {
  it('leaves alone what a later session writes, and forgets no port because another is gone', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
    await makeNode(service, 'n1', ['eth0']);
    await service.stop();
    const sql = (statement: string) => runSql(service, { sqlite: statement, postgres: statement });
    await sql('update ports set written_by = 8');
    const location =
      engine === 'postgres'
        ? { engine, url: service.env['CORRAL_DATABASE_URL'] ?? '', connections: 1 }
        : { engine, path: `${service.dataDir}/corral.db` };
    const db = await openDatabase(location);
    onTestFinished(() => db.close());
    const [port] = await db.read((tx) => tx.selectFrom('ports').selectAll().execute());
    const { vlan } = await db.read((tx) => tx.selectFrom('networks').select('vlan').executeTakeFirstOrThrow());
    const state = { native: vlan, tagged: [] };
    const named = { portId: port?.id ?? 0, port: port?.label ?? '', recorded: state, wanted: state };
    const task = { ...named, action: null, project: null } as unknown as PortTask;
    const tasks = [{ ...task, portId: 999 }, task];
    const admit = (session: number) =>
      db.write((tx) => leaveInDoubt(opIn(db, tx), 'sw0', tasks, { session, lateMs: 60_000, reason: 'it slept' }));
    const stored = () => db.read((tx) => tx.selectFrom('ports').select(['written_by', 'late_until']).execute());
    await admit(7);
    expect(await stored()).toEqual([{ written_by: 8, late_until: expect.any(Number) as number }]);
    await admit(8);
    expect(await stored()).toEqual([{ written_by: null, late_until: expect.any(Number) as number }]);
  });
});
