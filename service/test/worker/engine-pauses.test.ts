import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import type { Service } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
import {
  connect,
  done,
  eventually,
  leftAlone,
  makeNetwork,
  makeNode,
  makeProject,
  reserve,
  settled,
} from '../support/services/world.ts';

/** How long it is watched. Without a pause, hundreds of transactions fit into it. */
const watchedMs = 1_500;

const transactionsOf = async ({ url }: Service, kind: 'read' | 'write'): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`corral_database_transactions_total\\{[^}]*kind="${kind}"\\} (\\d+)`).exec(metrics)?.[1]);
};
const writesOf = (service: Service): Promise<number> => transactionsOf(service, 'write');

/** How many write transactions there were while nobody asked for anything but health. */
const writesWhileWatched = async (service: Service): Promise<number> => {
  const before = await writesOf(service);
  for (let part = 0; part < 5; part += 1) {
    await sleep(watchedMs / 5);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  }
  return (await writesOf(service)) - before;
};

const same = (statement: string) => ({ sqlite: statement, postgres: statement });

describe.each(engines)('an engine that cannot work on %s', (engine) => {
  const shared = sharedService(engine, {
    CORRAL_ENGINE_LEASE: '5',
    CORRAL_ENGINE_BUDGET: '60',
    CORRAL_ENGINE_DEVICE_TIMEOUT: '10',
  });
  let service: Service;

  beforeAll(async () => {
    service = shared();
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
    for (const node of ['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6']) {
      await makeNode(service, node, ['eth0']);
      await reserve(service, 'red', node);
    }
    // Once the row of its lease is there.
    await connect(service, 'n0', 'eth0', 'net');
    await leftAlone(service, 'sw0');
  });
  afterEach(() => takeWrites());

  const queue = (node: string) => service.admin.post(`/node/${node}/nic/eth0/connect_network`, { network: 'net' });
  const holdElsewhere = (expiresAt: number) =>
    runSql(
      service,
      same(
        `update leases set holder = 'another process', fence = fence + 1, expires_at = ${expiresAt} where name like 'switch/%'`,
      ),
    );
  const refuseWrites = (table: 'leases' | 'ports') =>
    runSql(service, {
      sqlite: `create trigger refused before update on ${table} begin select raise(abort, 'disk full'); end`,
      postgres: `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
        create trigger refused before update on ${table} for each row execute function refuse()`,
    });
  const takeWrites = () =>
    runSql(service, {
      sqlite: 'drop trigger if exists refused',
      postgres: 'drop function if exists refuse cascade',
    });

  it('waits for a switch that is held elsewhere without a write, until it is given back', async () => {
    await leftAlone(service, 'sw0');
    await holdElsewhere(Date.now() + 4_000);
    const queued = await queue('n1');
    // On PostgreSQL the worker renews its seat.
    expect(await writesWhileWatched(service)).toBeLessThanOrEqual(engine === 'sqlite' ? 2 : 4);
    expect((await done(service.admin.get('/networking_action/' + idOf(queued)))).body).toMatchObject({
      status: 'PENDING',
    });
    await runSql(service, same(`update leases set expires_at = 0 where name like 'switch/%'`));
    expect((await settled(service, queued)).status).toBe('DONE');
  });

  it('takes up the work of a holder that died when its lease is over', async () => {
    await leftAlone(service, 'sw0');
    await holdElsewhere(Date.now() + 1_000);
    expect((await settled(service, await queue('n2'))).status).toBe('DONE');
  });

  it('is left in peace by a second process while a change runs in the first', async () => {
    const second = await service.restart();
    try {
      service.simulated('sw0').faults = { delayMs: watchedMs };
      const before = (await writesOf(service)) + (await writesOf(second));
      expect((await settled(service, await queue('n4'))).status).toBe('DONE');
      const writes = (await writesOf(service)) + (await writesOf(second)) - before;
      // The change itself: asked for, claimed, marked, settled, saved, and renewals; also those of the workers' seats.
      expect(writes).toBeLessThanOrEqual(engine === 'sqlite' ? 12 : 16);
    } finally {
      service.simulated('sw0').faults = {};
      await second.stop();
    }
  });

  it('tries ever less often while the database takes no writes, and goes on when it does', async () => {
    await leftAlone(service, 'sw0');
    await refuseWrites('leases');
    const queued = await queue('n3');
    await eventually(() => failures(service).length > 0 || undefined);
    expect(await writesWhileWatched(service)).toBeLessThanOrEqual(8);
    await takeWrites();
    expect((await settled(service, queued)).status).toBe('DONE');
  });

  it('reads a queue that cannot be read ever less often, and goes on when it can', async () => {
    await leftAlone(service, 'sw0');
    await runSql(service, same('alter table actions rename to unreadable'));
    try {
      const isUnread = () => service.log.some((line) => line.includes('failed to read the action queue'));
      await eventually(() => isUnread() || undefined, 20_000);
      const before = await transactionsOf(service, 'read');
      await sleep(watchedMs);
      expect((await transactionsOf(service, 'read')) - before).toBeLessThanOrEqual(60);
    } finally {
      await runSql(service, same('alter table unreadable rename to actions'));
    }
    expect((await settled(service, await queue('n6'))).status).toBe('DONE');
  });

  it('starts a worker ever less often that cannot record what a dead one left behind', async () => {
    await leftAlone(service, 'sw0');
    await runSql(service, same(`update ports set written_by = 1 where label = 'n0/eth0'`));
    await refuseWrites('ports');
    const before = failures(service).length;
    const queued = await queue('n5');
    await eventually(() => failures(service).length > before || undefined);
    expect(await writesWhileWatched(service)).toBeLessThanOrEqual(30);
    await takeWrites();
    expect((await settled(service, queued)).status).toBe('DONE');
  });
});

const idOf = ({ body }: { body: unknown }): string => (body as { status_id: string }).status_id;

const failures = ({ log }: Service): readonly string[] => log.filter((line) => line.includes('worker failed'));
