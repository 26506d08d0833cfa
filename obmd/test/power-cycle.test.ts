import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Daemon, daemonForTest, done, refusal } from './support/daemon.ts';
import { inDatabaseOf } from './support/database.ts';
import { ScriptedBmc, scriptedDriver } from './support/scripted-bmc.ts';
import { engines } from './support/obmd-engines.ts';
import { makeNode, newTenant, type Tenant } from './support/token-holder.ts';
import { soon } from './support/console-watchers.ts';

const quick = { CORRAL_OBMD_SOFT_GRACE: '0.5' };
const slow = { CORRAL_OBMD_SOFT_GRACE: '30' };

describe('a power cycle by force', () => {
  it('turns the machine off and on at once, and it boots from the network', async () => {
    const daemon = await daemonForTest('sqlite');
    const { tenant, machine } = await makeNode(daemon, 'n1');
    machine.powerOn();
    machine.bootDevice = 'disk';
    await done(tenant.order('power_cycle', { force: true }));
    expect([machine.power, machine.bootedFrom]).toEqual(['on', ['none', 'pxe']]);
    // Only that once: a machine that was installed does not go back to its installer.
    machine.powerOff();
    machine.powerOn();
    expect(machine.bootedFrom).toEqual(['none', 'pxe', 'disk']);
  });

  it('turns a machine on that is off', async () => {
    const daemon = await daemonForTest('sqlite');
    const { tenant, machine } = await makeNode(daemon, 'n1');
    await done(tenant.order('power_cycle', { force: true }));
    expect([machine.power, machine.bootedFrom, machine.bootDevice]).toEqual(['on', ['pxe'], 'none']);
  });

  it('is done although the machine cannot boot from the network', async () => {
    const daemon = await daemonForTest('sqlite', { env: quick });
    const { tenant, machine } = await makeNode(daemon, 'n1', 'fail=boot_device&fault=unsupported');
    for (const force of [true, false]) await done(tenant.order('power_cycle', { force }));
    await soon(() => machine.boots).toBe(2);
  });

  it('is not done if the boot device cannot be set', async () => {
    const daemon = await daemonForTest('sqlite');
    const { tenant, machine } = await makeNode(daemon, 'n1', 'fail=boot_device');
    machine.powerOn();
    for (const force of [true, false])
      expect(await refusal(tenant.order('power_cycle', { force }))).toBe('502 BmcError');
    expect(machine.boots).toBe(1);
  });
});

describe.each(engines)('a soft power cycle on %s', (engine) => {
  it('is answered at once, waits for the operating system, and turns the machine on again', async () => {
    const daemon = await daemonForTest(engine, { env: slow });
    const { tenant, machine } = await makeNode(daemon, 'n1', 'fail=power_cycle');
    machine.powerOn();
    await done(tenant.order('power_cycle', { force: false }));
    expect([machine.power, machine.boots, machine.nextBoot]).toEqual(['on', 1, 'pxe']);
    await soon(() => machine.power).toBe('off');
    await soon(() => machine.bootedFrom).toEqual(['none', 'pxe']);
    expect([machine.power, machine.bootDevice, machine.nextBoot]).toEqual(['on', 'none', null]);
  });

  it('is done the hard way when the operating system does not listen', async () => {
    const daemon = await daemonForTest(engine, { env: quick });
    const { tenant, machine } = await makeNode(daemon, 'n1');
    machine.askToShutDown = () => undefined;
    machine.powerOn();
    const begun = performance.now();
    await done(tenant.order('power_cycle'));
    expect(machine.boots).toBe(1);
    await soon(() => machine.boots).toBe(2);
    expect(performance.now() - begun).toBeGreaterThan(450);
    expect([machine.power, machine.bootedFrom, machine.bootDevice]).toEqual(['on', ['none', 'pxe'], 'none']);
  });

  it('is done the hard way at once when nobody can be asked', async () => {
    const daemon = await daemonForTest(engine, { env: slow });
    const { tenant, machine } = await makeNode(daemon, 'n1', 'fail=shutdown&fault=unsupported');
    machine.powerOn();
    await done(tenant.order('power_cycle'));
    expect(machine.boots).toBe(2);
  });

  it('turns a machine on that is off', async () => {
    const daemon = await daemonForTest(engine, { env: slow });
    const { tenant, machine } = await makeNode(daemon, 'n1', 'fail=shutdown,power_cycle');
    await done(tenant.order('power_cycle'));
    expect([machine.power, machine.bootedFrom, machine.bootDevice]).toEqual(['on', ['pxe'], 'none']);
  });

  it('goes on after a restart of the daemon', async () => {
    const daemon = await daemonForTest(engine, { env: slow });
    const { tenant, machine } = await makeNode(daemon, 'n1');
    machine.powerOn();
    await done(tenant.order('power_cycle'));
    await daemon.stop();
    await soon(() => machine.power).toBe('off');
    expect(machine.boots).toBe(1);
    const again = await daemon.again();
    try {
      await soon(() => machine.boots).toBe(2);
      await expect.poll(async () => (await tenant.at(again).status()).body).toEqual({ power_status: 'on' });
      await again.stop();
      machine.powerOff();
      const third = await daemon.again();
      await done(tenant.at(third).status());
      await third.stop();
      expect(machine.boots).toBe(2);
    } finally {
      await again.stop();
    }
  });

  it.each(['power_off', 'a new token', 'no token', 'a new registration'])('is called off by %s', async (by) => {
    const bmc = new ScriptedBmc();
    const setup = { env: quick, drivers: { double: scriptedDriver(bmc) } };
    const daemon = await daemonForTest(engine, setup);
    const register = () => done(daemon.admin('PUT', '/node/n1', { type: 'double', info: {} }));
    await register();
    const tenant = await newTenant(daemon, 'n1');
    await done(tenant.order('power_cycle'));
    if (by === 'power_off') await done(tenant.order('power_off'));
    if (by === 'a new token') await newTenant(daemon, 'n1');
    if (by === 'no token') await done(daemon.admin('DELETE', '/node/n1/token'));
    if (by === 'a new registration') await register();
    const sofar = [...bmc.done];
    // Longer than its grace; a daemon that starts again must not remember it either.
    await sleep(700);
    await daemon.stop();
    const again = await daemon.again();
    if (by === 'power_off') await done(tenant.at(again).status());
    await again.stop();
    const later = bmc.done.slice(sofar.length).filter((call) => call !== 'power_status');
    expect(later).toEqual([]);
    expect(bmc.power).toBe(by === 'power_off' ? 'off' : 'on');
  });
});

/** Databases where one write can be made to wait for another without holding up the whole process. */
const patientEngines = engines.filter((engine) => engine === 'postgres');

describe.each(patientEngines)('a soft power cycle whose token changes meanwhile, on %s', (engine) => {
  it('is not remembered for the next caller', async () => {
    const bmc = new ScriptedBmc();
    const env = { ...quick, CORRAL_OBMD_CALL_TIMEOUT: '20' };
    const daemon = await daemonForTest(engine, { env, drivers: { double: scriptedDriver(bmc) } });
    await done(daemon.admin('PUT', '/node/n1', { type: 'double', info: {} }));
    const tenant = await newTenant(daemon, 'n1');
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    bmc.before = (call) => (call === 'shutdown' ? gate : Promise.resolve());
    const cycling = tenant.order('power_cycle');
    await soon(() => bmc.running).toEqual(['shutdown']);

    const changes: Promise<Tenant>[] = [];
    await whileLocked(daemon, async (waiting) => {
      changes.push(newTenant(daemon, 'n1'));
      await expect.poll(waiting).toBe(1);
      release();
      await expect.poll(waiting).toBe(2);
    });
    await cycling;
    const [next] = await Promise.all(changes);
    await daemon.stop();

    const sofar = bmc.done.length;
    const again = await daemon.again();
    if (next) await done(next.at(again).status());
    // A cycle that was remembered would be done as soon as its grace is over.
    await sleep(700);
    await again.stop();
    expect(bmc.done.slice(sofar)).toEqual(['power_status']);
  });
});

/** Makes every write to the nodes wait, in the order in which they come, until `work` is over. */
const whileLocked = (daemon: Daemon, work: (waiting: () => Promise<number>) => Promise<void>): Promise<void> =>
  inDatabaseOf(daemon, (db) =>
    db.write(async (tx) => {
      await tx.selectFrom('obmd_nodes').select('id').forUpdate().execute();
      await work(() =>
        db.read(async (other) => {
          const { rows } = await sql<{ n: number }>`
            select count(*) as n from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(other);
          return Number(rows[0]?.n);
        }),
      );
    }),
  );
