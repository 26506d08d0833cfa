import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { HeldLease } from '@corral/base/db/held-lease';
import { engines } from '../support/services/engines.ts';
import { type Service, startService } from '../support/services/service.ts';
import { driftOf, sweep, tamper } from '../support/switches/drift-helpers.ts';
import { runSql } from '../support/services/run-sql.ts';
import {
  connect,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  reserve,
  settled,
} from '../support/services/world.ts';

/*
 * The lease of a switch passes to another worker while this one talks to the switch, and nothing has told it so: its
 * lease lasts for a minute, and is renewed by nobody meanwhile. Only the fence in each transaction can refuse it.
 */

const { confirm, keep } = {
  confirm: Reflect.get<HeldLease, 'confirm'>(HeldLease.prototype, 'confirm'),
  keep: Reflect.get<HeldLease, 'keep'>(HeldLease.prototype, 'keep'),
};

/** When a lease is taken away, and what is looked at before it is given back. */
interface Moment {
  readonly atCall?: number;
  /** What happens just before the first call, while the worker cannot be further than that. */
  readonly before?: () => void;
  /** Calls count from when this is so. */
  readonly since?: () => Promise<boolean>;
  readonly afterwards?: () => Promise<void>;
}

/** What a worker records about a switch, but for the ports that it says it may have written to. */
const recordedOf = async (service: Service, label: string): Promise<unknown[]> => {
  const ask = (text: string) => runSql(service, { sqlite: text, postgres: text });
  const ports = `(select ports.id from ports join switches on switches.id = switch_id where switches.label = '${label}')`;
  const nics = `(select id from nics where port_id in ${ports})`;
  return [
    await ask(`select * from switches where label = '${label}'`),
    await ask(
      `select id, reading, unread, drift_since, suspect, was_clean from ports where id in ${ports} order by id`,
    ),
    await ask(`select * from actions where nic_id in ${nics} order by id`),
    await ask(`select * from attachments where nic_id in ${nics} order by id`),
    await ask(`select type from events where caller = 'corral' and switch = '${label}' order by id`),
  ];
};

describe.each(engines)('a worker whose switch passed to another one, on %s', (engine) => {
  let service: Service;
  const ended = new WeakSet<HeldLease>();

  beforeAll(async () => {
    vi.spyOn(HeldLease.prototype, 'keep').mockImplementation(function (this: HeldLease, failed) {
      const letGo = keep.call(this, failed);
      return () => {
        letGo();
        ended.add(this);
      };
    });
    service = await startService(engine, {
      CORRAL_ENGINE_LEASE: '60',
      CORRAL_ENGINE_SESSION_IDLE: '20',
      CORRAL_ENGINE_SAVE_DELAY: '0.4',
      CORRAL_ENGINE_BUDGET: '30',
    });
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await service.stop();
  });

  /** A node on a switch of its own, whose session was used a moment ago and stays open. */
  const nodeOnSwitch = async (node: string): Promise<void> => {
    await makeNode(service, node, ['eth0'], `sw-${node}`);
    await reserve(service, 'red', node);
    await sweep(service, `sw-${node}`);
  };
  const queue = (node: string) => service.admin.post(`/node/${node}/nic/eth0/connect_network`, { network: 'net' });
  const leaseOf = async (label: string): Promise<string> => {
    const text = `select id from switches where label = '${label}'`;
    const [row] = (await runSql(service, { sqlite: text, postgres: text })) as { id: number }[];
    return `switch/${row?.id}`;
  };
  const setLease = (name: string, change: string) => {
    const text = `update leases set ${change} where name = '${name}'`;
    return runSql(service, { sqlite: text, postgres: text });
  };

  /** Takes the lease away at the worker's next call to the switch, or a later one; nothing is recorded after that. */
  const overtaken = async <T>(
    label: string,
    ask: () => Promise<T>,
    { atCall = 1, before, since, afterwards }: Moment = {},
  ): Promise<T> => {
    const name = await leaseOf(label);
    const losers = new Set<HeldLease>();
    let calls = 0;
    let atLoss: unknown[] = [];
    const spy = vi.spyOn(HeldLease.prototype, 'confirm').mockImplementation(async function (this: HeldLease) {
      await confirm.call(this);
      if (this.lease.name !== name || losers.size > 0) return;
      if (calls === 0) before?.();
      if (since && !(await since())) return;
      calls += 1;
      if (calls < atCall) return;
      losers.add(this);
      // The holder stays the same: a process that lost a lease and has it again is not the one that it was.
      await setLease(name, 'fence = fence + 1');
      atLoss = await recordedOf(service, label);
    });
    const answer = await ask();
    await eventually(() => [...losers].some((loser) => ended.has(loser)) || undefined);
    spy.mockRestore();
    expect(await recordedOf(service, label)).toEqual(atLoss);
    await afterwards?.();
    await setLease(name, 'expires_at = 0');
    return answer;
  };

  it('does not settle what it changed', async () => {
    await nodeOnSwitch('n1');
    const text = `select late_until from ports where label = 'n1/eth0' and written_by is null and late_until is not null`;
    const queued = await overtaken('sw-n1', () => queue('n1'), {
      // It says all the same which port it may have written to.
      afterwards: () =>
        eventually(async () => (await runSql(service, { sqlite: text, postgres: text })).length || undefined).then(
          () => undefined,
        ),
    });
    expect((await settled(service, queued)).status).toBe('DONE');
  });

  it('changes nothing', async () => {
    await nodeOnSwitch('n2');
    // After a second of silence a session is tried before it is used: the lease goes with the first question.
    await setTimeout(1_100);
    await overtaken('sw-n2', async () => {
      await done(queue('n2'));
    });
  });

  it('does not record what it saw', async () => {
    await nodeOnSwitch('n3');
    tamper(service, 'sw-n3', 'n3/eth0', { native: 600 });
    const { swept } = await overtaken('sw-n3', () =>
      Promise.resolve({ swept: service.admin.post('/switch/sw-n3/sweep') }),
    );
    expect((await done(swept)).body).toMatchObject({ ports: [{ seen: { native: 600 } }] });
  });

  it.each([
    ['n4', {}],
    ['n5', { saveFails: true }],
  ])('records neither that it saved nor that it could not (%s, %j)', async (node, faults) => {
    await nodeOnSwitch(node);
    service.simulated(`sw-${node}`).faults = faults;
    // Nothing is left to be done by then, but to save.
    const text = `select id from attachments where nic_id in (select id from nics where node_id = (select id from nodes where label = '${node}'))`;
    const since = async () => (await runSql(service, { sqlite: text, postgres: text })).length > 0;
    await overtaken(`sw-${node}`, () => connect(service, node, 'eth0', 'net'), { since });
  });

  it('does not record that the switch fails, nor that it answers again', async () => {
    await nodeOnSwitch('n6');
    service.simulated('sw-n6').faults = { hang: true };
    const failing = await overtaken('sw-n6', () => queue('n6'));
    await eventually(async () => ((await driftOf(service, 'sw-n6')).fault === null ? undefined : true));
    // As long as it hangs, each call is a login. The first two calls open a session and ask which device it is.
    const before = () => {
      service.simulated('sw-n6').faults = {};
    };
    await overtaken('sw-n6', () => Promise.resolve(), { atCall: 3, before });
    await settled(service, failing);
  });
});
