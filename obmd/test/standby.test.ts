import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { adminToken, basic, daemonForTest, done, message, refusal } from './support/daemon.ts';
import { sql } from 'kysely';
import { Ownership } from '../src/core/bmc-ownership.ts';
import type { Db } from '../src/db/open-obmd-database.ts';
import type { BmcDriver } from '../src/drivers/bmc-contract.ts';
import { inDatabaseOf } from './support/database.ts';
import { ScriptedBmc, scriptedDriver } from './support/scripted-bmc.ts';
import { engines, freshPostgres } from './support/obmd-engines.ts';
import { type Program, startProgram } from './support/obmd-program.ts';
import { makeNode, newTenant } from './support/token-holder.ts';
import { converse, soon, watch } from './support/console-watchers.ts';

const takeover = { timeout: 12_000, interval: 50 };

describe.each(engines)('a second daemon on the same database on %s', (engine) => {
  it('waits: it does nothing, says who has the nodes, and is not ready', async () => {
    const first = await daemonForTest(engine);
    const { tenant, machine } = await makeNode(first, 'n1');
    const second = await first.again();
    try {
      expect(await refusal(second.admin('GET', '/nodes'))).toBe('503 StandbyError');
      expect(await message(second.admin('GET', '/nodes'))).toContain(`process ${process.pid} on `);
      const refused = await tenant.at(second).order('power_on');
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true]);
      expect(machine.boots).toBe(0);
      expect((await second.send('GET', '/healthz')).status).toBe(200);
      expect((await second.send('GET', '/readyz')).status).toBe(503);
      expect((await second.send('GET', '/metrics')).text).toMatch(/^obmd_active 0$/m);
      expect(await refusal(second.send('GET', '/nodes'))).toBe('401 AuthorizationError');
      await done(tenant.order('power_on'));
    } finally {
      await second.stop();
    }
  });

  it('takes over when the first stops, with what is true by then', async () => {
    const first = await daemonForTest(engine);
    const second = await first.again();
    try {
      const { tenant } = await makeNode(first, 'n1');
      const newest = await newTenant(first, 'n1');
      await first.stop();
      await expect.poll(async () => (await newest.at(second).status()).status, takeover).toBe(200);
      expect(await refusal(tenant.at(second).status())).toBe('401 AuthorizationError');
      expect((await second.send('GET', '/readyz')).status).toBe(200);
    } finally {
      await second.stop();
    }
  });

  it('gives way if the first is not heard of, and the first lets go of all it had', async () => {
    const first = await daemonForTest(engine);
    const { tenant, machine } = await makeNode(first, 'n1');
    const watcher = await watch(tenant);
    await inDatabaseOf(first, (db) => db.write((tx) => tx.deleteFrom('obmd_owner').execute()));
    const second = await first.again();
    try {
      await soon(() => watcher.isOver).toBe(true);
      await expect.poll(async () => (await tenant.status()).status, takeover).toBe(503);
      await done(tenant.at(second).order('power_on'));
      expect([machine.power, machine.isWatched]).toEqual(['on', false]);
    } finally {
      await second.stop();
    }
  });
});

describe.each(engines)('a daemon that slept, and whose nodes another one has by now, on %s', (engine) => {
  afterEach(() => void vi.restoreAllMocks());
  const taken = { holder: 'another', host: 'elsewhere', pid: 1, expires_at: 2 ** 52 };

  it('calls no BMC, not even to finish what it was at, and changes nothing that is stored', async () => {
    const daemon = await daemonForTest(engine, { env: { CORRAL_OBMD_CALL_TIMEOUT: '20' } });
    const { tenant, machine } = await makeNode(daemon, 'n1', 'delay_ms=1500');
    const tokens = () =>
      inDatabaseOf(daemon, (db) => db.read((tx) => tx.selectFrom('obmd_nodes').select('token_hash').execute()));
    const before = await tokens();
    const underWay = tenant.order('power_on');
    await inDatabaseOf(daemon, (db) => db.write((tx) => tx.updateTable('obmd_owner').set(taken).execute()));
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
    expect(await refusal(tenant.order('power_on'))).toBe('503 StandbyError');
    expect(await refusal(daemon.admin('POST', '/node/n1/token'))).toBe('503 StandbyError');
    // By then its own renewal may have told it.
    expect([401, 503]).toContain((await underWay).status);
    vi.restoreAllMocks();
    expect(await refusal(daemon.admin('POST', '/node/n1/token'))).toBe('503 StandbyError');
    expect(machine.boots).toBe(0);
    expect(await tokens()).toEqual(before);
  });
});

it('a daemon that slept passes nothing on that was typed meanwhile', async () => {
  const daemon = await daemonForTest('sqlite');
  const { tenant, machine } = await makeNode(daemon, 'n1', 'tick_ms=60000');
  machine.powerOn();
  const client = await converse(tenant);
  client.type('ls -l\r');
  await soon(() => machine.lastTyped).toBe('ls -l\r');
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
  client.type('rm -rf /\r');
  // It is read before this is answered.
  expect(await refusal(tenant.order('power_on'))).toBe('503 StandbyError');
  vi.restoreAllMocks();
  client.type('ls\r');
  await soon(() => machine.lastTyped).toBe('ls -l\rls\r');
  expect(client.text).not.toContain('rm -rf');
});

it('a daemon that cannot take over says so, and tries again', async () => {
  const bmc = new ScriptedBmc();
  let isBroken = false;
  const driver: BmcDriver = {
    ...scriptedDriver(bmc),
    bmcOf: () => {
      if (isBroken) throw new Error('the driver is broken');
      return bmc.bmc(['pxe']);
    },
  };
  const first = await daemonForTest('sqlite', { drivers: { double: driver } });
  await done(first.admin('PUT', '/node/n1', { type: 'double', info: {} }));
  const tenant = await newTenant(first, 'n1');
  const second = await first.again();
  try {
    isBroken = true;
    await first.stop();
    await soon(() => second.log.join('')).toContain('failed to take over the nodes');
    expect((await tenant.at(second).status()).status).toBe(503);
    isBroken = false;
    await expect.poll(async () => (await tenant.at(second).status()).status, takeover).toBe(200);
  } finally {
    await second.stop();
  }
});

describe.each(engines)('a daemon that waits on %s', (engine) => {
  it('looks without a write, and lets nobody take from a holder that renews, whatever the clock says', async () => {
    const first = await daemonForTest(engine);
    await inDatabaseOf(first, async (db) => {
      const counts = { reads: 0, writes: 0, gained: 0 };
      const counted: Db = {
        ...db,
        // An hour ahead: by it every hold is over as soon as it is taken.
        now: sql<number>`${Date.now() + 3_600_000}`,
        read: (work) => {
          counts.reads += 1;
          return db.read(work);
        },
        write: (work) => {
          counts.writes += 1;
          return db.write(work);
        },
      };
      const second = new Ownership(counted, {
        gained: () => {
          counts.gained += 1;
          return Promise.resolve();
        },
        lost: () => Promise.resolve(),
        failed: () => undefined,
      });
      await second.start();
      await expect.poll(() => counts.reads, takeover).toBe(4);
      expect(counts).toEqual({ reads: 4, writes: 0, gained: 0 });
      await second.stop();
    });
    expect((await first.send('GET', '/readyz')).status).toBe(200);
  });
});

describe.each(engines)('when the first daemon is killed on %s', (engine) => {
  let directory: string;
  const started: Program[] = [];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'corral-obmd-standby-'));
  });
  afterEach(async () => {
    for (const program of started.splice(0)) await program.kill('SIGKILL');
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('the second takes over, and tokens and nodes are as they were acknowledged', async () => {
    const env = {
      CORRAL_OBMD: '127.0.0.1:0',
      CORRAL_OBMD_ADMIN_TOKEN: adminToken,
      CORRAL_DATA_DIR: directory,
      ...(engine === 'postgres' ? { CORRAL_DATABASE_URL: await freshPostgres() } : {}),
    };
    const headers = { authorization: basic('admin', adminToken) };
    const call = async (program: Program, method: string, path: string, body?: unknown) => {
      const response = await fetch(`${program.url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    };
    const first = await startProgram(env);
    started.push(first);
    const second = await startProgram(env);
    started.push(second);
    expect((await call(second, 'GET', '/nodes')).status).toBe(503);
    await call(first, 'PUT', '/node/n1', { type: 'mock', info: { addr: 'n1' } });
    const { text } = await call(first, 'POST', '/node/n1/token');
    await first.kill('SIGKILL');
    await expect.poll(async () => (await call(second, 'GET', '/readyz')).status, takeover).toBe(200);
    const { token } = JSON.parse(text) as { token: string };
    const status = await call(second, 'GET', `/node/n1/power_status?token=${token}`);
    expect(status).toEqual({ status: 200, text: '{"power_status":"off"}' });
  });
});
