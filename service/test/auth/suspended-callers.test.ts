import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HeldLease } from '@corral/base/db/held-lease';
import { engines } from '../support/services/engines.ts';
import { makeHeadnode, redService, showHeadnode } from '../support/headnodes/headnode-helpers.ts';
import { backstage, oddHypervisor } from '../support/headnodes/faulty-hypervisor.ts';
import { makeRack, patient, setObm } from '../support/services/obm-rack.ts';
import type { Service } from '../support/services/service.ts';
import { message, refusal } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { Talker } from '../support/obm/console-talker.ts';
import { done } from '../support/services/world.ts';

/*
 * The process sleeps at the worst moment: right after it made sure of its lease, and before the device is called; or
 * right before it makes sure. Meanwhile another process takes the lease. Nothing may be sent to the device then.
 */

const sleptMs = 60_000;
const confirm = Reflect.get<HeldLease, 'confirm'>(HeldLease.prototype, 'confirm');

/** As after a suspend: only the time of day has gone on. */
const sleep = async (service: Service): Promise<void> => {
  const now = Date.now.bind(Date);
  const statement = `update leases set holder = 'another process', fence = fence + 1 where expires_at > 0`;
  await runSql(service, { sqlite: statement, postgres: statement });
  vi.spyOn(Date, 'now').mockImplementation(() => now() + sleptMs);
};

/** Has the first call to a device of what is done next overtaken by a sleep. */
const asleep = async <T>(service: Service, when: 'before' | 'after', work: () => Promise<T>): Promise<T> => {
  let isOvertaken = false;
  const spy = vi.spyOn(HeldLease.prototype, 'confirm').mockImplementation(async function (this: HeldLease) {
    // Workers have leases too, and make sure of them when they like.
    const isFirst = !isOvertaken && !/^(switch|worker|history)/.test(this.lease.name);
    if (isFirst) isOvertaken = true;
    if (isFirst && when === 'before') await sleep(service);
    await confirm.call(this);
    if (isFirst && when === 'after') await sleep(service);
  });
  try {
    return await work();
  } finally {
    expect(isOvertaken).toBe(true);
    spy.mockRestore();
    vi.restoreAllMocks();
  }
};

const letIn = 'another process has taken over';

describe.each(engines)('a process that slept longer than its lease, on %s', (engine) => {
  beforeEach(() => backstage.reset());
  afterEach(() => void vi.restoreAllMocks());

  it('calls no OBM daemon: neither for a token nor for a console', async () => {
    const { service, alice, obmd } = await makeRack(engine, { env: patient });
    const told = (path: string) => obmd.calls.filter((call) => call.path.endsWith(path)).length;
    for (const when of ['before', 'after'] as const) {
      for (const enabled of [true, false]) {
        const before = told('token');
        const answer = asleep(service, when, () => alice.put('/node/n1/obm', { enabled }));
        expect(await refusal(answer)).toBe('409 BlockedError');
        expect(await message(answer)).toContain(letIn);
        expect(told('token'), `${when} ${enabled}`).toBe(before);
        await runSql(service, { sqlite: freeAll, postgres: freeAll });
        await setObm(alice, enabled);
      }
      await setObm(alice, true);
      const reading = asleep(service, when, () => alice.get('/node/n1/console'));
      expect(await refusal(reading)).toBe('409 BlockedError');
      await runSql(service, { sqlite: freeAll, postgres: freeAll });
      const talker = await asleep(service, when, async () => {
        const made = new Talker(service, alice);
        await expect.poll(() => made.status, { timeout: 10_000, interval: 10 }).not.toBeNull();
        return made;
      });
      expect(talker.status).toBe(409);
      expect(told('console')).toBe(0);
      await runSql(service, { sqlite: freeAll, postgres: freeAll });
      await setObm(alice, false);
    }
  });

  it('tells the hypervisor nothing about a headnode, and the next one finishes it', async () => {
    const service = await redService(engine, oddHypervisor);
    const { admin } = service;
    await makeHeadnode(service, 'h', 'red');
    const inTheEnd = async (call: () => ReturnType<typeof admin.post>): Promise<void> => {
      for (const when of ['before', 'after'] as const) {
        const machines = JSON.stringify([...backstage.machines]);
        expect(await refusal(asleep(service, when, call))).toBe('409 BlockedError');
        expect(JSON.stringify([...backstage.machines])).toBe(machines);
        await runSql(service, { sqlite: freeAll, postgres: freeAll });
      }
      await done(call());
    };
    await inTheEnd(() => admin.post('/headnode/h/start'));
    expect((await showHeadnode(service, 'h')).vncport).toEqual(expect.any(Number));
    await inTheEnd(() => admin.post('/headnode/h/stop'));
    await inTheEnd(() => admin.del('/headnode/h'));
    expect(backstage.machines.size).toBe(0);
  });
});

const freeAll = 'update leases set expires_at = 0';
