import { setTimeout as sleep } from 'node:timers/promises';
import { hasPart, type LabHost } from '@corral/lab';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { nodeOf } from '../support/switches/packet-switches.ts';
import { labObmd } from '../support/services/obm-rack.ts';
import {
  leftAlone,
  nothingPending,
  type Replica,
  type ReplicaPair,
  settleIn,
  startReplicaPair,
  vacate,
} from '../support/services/replica-pair.ts';
import { randomFrom, seed } from '../support/vitest/seed.ts';
import { passwordOf } from '../support/services/service.ts';
import { done, eventually } from '../support/services/world.ts';

/** Every moment of a change can be tried: CORRAL_STOPS=200 goes through the first 200 of a connection and of a detachment. */
const everyMoment = Number(process.env['CORRAL_STOPS'] ?? 0);

/** How often a process is killed; CORRAL_KILLS=200 takes longer. */
const kills = Number(process.env['CORRAL_KILLS'] ?? 4);

type Change = 'connect' | 'detach';
interface Stop {
  readonly change: Change;
  readonly count: number;
  readonly moment?: string;
}

const named = (change: Change, moment: string): Stop => ({ change, count: 1, moment });
const stops: readonly Stop[] =
  everyMoment > 0
    ? (['connect', 'detach'] as const).flatMap((change) =>
        Array.from({ length: everyMoment }, (_, index): Stop => ({ change, count: index + 1 })),
      )
    : [
        named('connect', 'planned'),
        named('connect', 'marked as touched'),
        // After the process has made sure of its lease, and right before the kernel is given the message.
        named('connect', 'before a write'),
        named('connect', 'ports changed'),
        named('connect', 'decided'),
        named('connect', 'settled'),
        named('detach', 'before a write'),
        named('detach', 'ports read back'),
      ];

describe.runIf(hasPart('Open vSwitch') && engines.includes('postgres'))('one of two processes is stopped', () => {
  let pair: ReplicaPair;
  let turn = 0;
  beforeAll(async () => {
    pair = await startReplicaPair(1);
  }, 120_000);
  afterEach(() => {
    for (const { program } of pair.replicas) program.go();
  });
  afterAll(() => pair.stop());

  /** Each of them is the one that is stopped, in turns. */
  const inTurns = (): { sleeper: Replica; other: Replica } => {
    turn += 1;
    const [first, second] = pair.replicas;
    return turn % 2 === 0 ? { sleeper: first, other: second } : { sleeper: second, other: first };
  };
  const mover = (): LabHost => {
    const [host] = pair.movers;
    if (!host) throw new Error('there is no host that moves');
    return host;
  };
  /** Has one replica alone do something, until it stops at the moment. Tells where, or null if it did not. */
  const stopDuring = async (
    { sleeper, other }: { readonly sleeper: Replica; readonly other: Replica },
    { count, moment }: Pick<Stop, 'count' | 'moment'>,
    call: () => Promise<unknown>,
  ): Promise<{ readonly where: string | null; readonly answered: Promise<unknown> }> => {
    await leftAlone(pair);
    other.program.stop();
    await sleeper.program.arm(count, moment);
    let isAnswered = false;
    const answered = call().finally(() => (isAnswered = true));
    const where = await eventually(async () => {
      if (await sleeper.program.isStopped()) return sleeper.program.stoppedAt() ?? '';
      if (!isAnswered) return undefined;
      const busy = await pair.sql(
        `select 1 from actions where status = 'PENDING' union all select 1 from leases where name not like 'worker/%' and expires_at > 0`,
      );
      return busy.length === 0 && !(await sleeper.program.isStopped()) ? null : undefined;
    }, 60_000);
    other.program.go();
    return { where, answered };
  };

  it.each(stops)(
    '$change, $count $moment: no frame of the project that had the node is heard by the next',
    { timeout: 120_000 },
    async ({ change, count, moment }) => {
      const { sleeper, other } = inTurns();
      const host = mover();
      const node = nodeOf(host);
      await done(other.admin.post('/project/red/connect_node', { node }));
      pair.membership.begins(host.port, 'red', []);
      if (change === 'detach') {
        await done(other.admin.post(`/node/${node}/nic/eth0/connect_network`, { network: 'red' }));
        await nothingPending(pair);
      }
      const { where, answered } = await stopDuring(
        { sleeper, other },
        moment === undefined ? { count } : { count, moment },
        () => sleeper.admin.post(`/node/${node}/nic/eth0/${change}_network`, { network: 'red' }).catch(() => null),
      );
      await nothingPending(pair);
      await vacate(pair, () => other, host);
      expect(await settleIn(pair, other, host, 'blue')).toBe(true);
      if (where !== null) sleeper.program.go();
      await answered;
      await sleeper.program.arm(0);
      // What never comes cannot be waited for: this is many times what a change takes.
      await sleep(300);
      await leftAlone(pair);
      expect(await pair.ovs.carried(host.port)).toEqual({ native: pair.vlans.get('blue'), tagged: [] });
      await vacate(pair, () => other, host);
      expect(pair.wrongs().slice(0, 3), where ?? 'it never stopped').toEqual([]);
      if (moment !== undefined) expect(where).toBe(moment);
    },
  );

  it(
    'and killed there, again and again: no frame of the project that had the node is heard by the next',
    { timeout: 60_000 + kills * 30_000 },
    async () => {
      const random = randomFrom(seed);
      const host = mover();
      const node = nodeOf(host);
      let killed = 0;
      for (let round = 0; round < kills; round += 1) {
        const { sleeper, other } = inTurns();
        await done(other.admin.post('/project/red/connect_node', { node }));
        pair.membership.begins(host.port, 'red', []);
        // A connection has about fifty moments, of which the first twenty are those of the request.
        const { where, answered } = await stopDuring({ sleeper, other }, { count: 1 + Math.floor(random() * 50) }, () =>
          sleeper.admin.post(`/node/${node}/nic/eth0/connect_network`, { network: 'red' }).catch(() => null),
        );
        if (where === null) await sleeper.program.arm(0);
        else {
          killed += 1;
          await pair.restart(sleeper === pair.replicas[0] ? 0 : 1);
        }
        await answered;
        await nothingPending(pair);
        await vacate(pair, () => other, host);
        expect(await settleIn(pair, other, host, 'blue')).toBe(true);
        await leftAlone(pair);
        expect(await pair.ovs.carried(host.port)).toEqual({ native: pair.vlans.get('blue'), tagged: [] });
        await vacate(pair, () => other, host);
        expect(pair.wrongs().slice(0, 3), where ?? 'it never stopped').toEqual([]);
      }
      expect(killed).toBeGreaterThan(0);
      process.stdout.write(
        `killed replica: ${killed} kills, ${pair.heard()} frames heard, ${pair.wrongs().length} wrong\n`,
      );
    },
  );

  it('with a lock that others want: they get it after some seconds', { timeout: 60_000 }, async () => {
    const { sleeper, other } = inTurns();
    const node = nodeOf(mover());
    const { where, answered } = await stopDuring({ sleeper, other }, { count: 1, moment: 'lock taken' }, () =>
      sleeper.admin.post('/project/red/connect_node', { node }).catch(() => null),
    );
    expect(where).toBe('lock taken');
    await done(other.admin.post('/project/blue/connect_node', { node }));
    sleeper.program.go();
    await answered;
    expect(
      await pair.sql(`select p.label from nodes n join projects p on p.id = n.project_id where n.label = '${node}'`),
    ).toEqual([{ label: 'blue' }]);
    await vacate(pair, () => other, mover());
  });

  it(
    'with a call to an OBM daemon that its caller may no longer make: it is never made',
    { timeout: 60_000 },
    async () => {
      const { sleeper, other } = inTurns();
      const daemon = await labObmd();
      daemon.add('n9');
      const { admin } = other;
      await done(admin.put('/node/n9', { obmd: { uri: daemon.uri('n9'), admin_token: daemon.adminToken } }));
      await done(admin.put('/auth/basic/user/alice', { password: passwordOf('alice') }));
      await done(admin.post('/auth/basic/user/alice/add_project', { project: 'red' }));
      await done(admin.post('/project/red/connect_node', { node: 'n9' }));
      await done(admin.put('/node/n9/obm', { enabled: true }));
      const alice = clientOf(sleeper.program.url, basic('alice', passwordOf('alice')));
      for (const call of [
        () => alice.post('/node/n9/power_off'),
        () => alice.get('/node/n9/console'),
        () => alice.put('/node/n9/obm', { enabled: false }),
      ]) {
        const told = daemon.calls.length;
        // The node is read to find out which daemon it is, and again right before the call.
        const { where, answered } = await stopDuring({ sleeper, other }, { count: 2, moment: 'node read' }, call);
        expect(where).toBe('node read');
        expect(daemon.calls.slice(told)).toEqual([]);
        await done(admin.post('/auth/basic/user/alice/remove_project', { project: 'red' }));
        // Nothing tells that it slept but the time.
        await sleep(2_100);
        sleeper.program.go();
        expect(await answered).toMatchObject({ status: 401 });
        expect(daemon.calls.slice(told)).toEqual([]);
        await done(admin.post('/auth/basic/user/alice/add_project', { project: 'red' }));
      }
    },
  );

  it('and in the end the database is sound, and nobody heard what was not for them', async () => {
    await pair.expectSound();
    expect(pair.heard()).toBeGreaterThan(0);
    expect(pair.wrongs().slice(0, 3)).toEqual([]);
    process.stdout.write(
      `stopped replica: ${stops.length} stops, ${pair.heard()} frames heard, ${pair.wrongs().length} wrong\n`,
    );
  });
});
