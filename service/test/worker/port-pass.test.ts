import { describe, expect, it } from 'vitest';
import type { PortConfig } from '../../src/drivers/switches/switch-contract.ts';
import type { GuardedSession } from '../../src/worker/guarded-session.ts';
import { alreadyDone, restore } from '../../src/worker/port-pass.ts';
import type { PortTask } from '../../src/worker/port-task.ts';
import { checkPorts, sweep } from '../../src/worker/sweep-ports.ts';

const nothing = { native: null, tagged: [] };

/** A detachment from VLAN 100 that an attempt may have begun. */
const detachment = (touched: boolean, wanted: PortTask['wanted'] = nothing): PortTask => ({
  ...{ portId: 1, port: 'p1', nicId: 1, nic: 'eth0', node: 'n1', project: null },
  ...{ recorded: { native: 100, tagged: [] }, wanted },
  ...{
    isSuspect: false,
    isUnread: false,
    isDoubtful: false,
    late: null,
    isWork: true,
    driftSince: null,
    reading: null,
    suspectAttempts: 0,
  },
  action: {
    ...{ id: 1, statusId: 's', kind: 'detach', networkId: 1, network: 'net', channel: 'vlan/native' },
    ...{ createdAt: 0, attempts: 1, touched },
  },
});

/** A switch whose port reads like this, and what it was asked. */
const switchThatShows = (shown: PortConfig): { session: GuardedSession; asked: string[] } => {
  const asked: string[] = [];
  const session: GuardedSession = {
    apply: () => Promise.reject(new Error('it is not to be written')),
    read: () => {
      asked.push('read');
      return Promise.resolve([shown]);
    },
    drained: () => {
      asked.push('drained');
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  return { session, asked };
};

describe('a port that an attempt has done before it broke off', () => {
  const left = { native: null, tagged: [200] };

  it('is done once nothing passes any more that it took away', async () => {
    const { session, asked } = switchThatShows({ port: 'p1', ...left });
    expect([...(await alreadyDone(session, [detachment(true, left)]))]).toEqual([1]);
    expect(asked).toEqual(['read', 'drained']);
  });

  it('is not done if the device cannot be waited for', async () => {
    const { session } = switchThatShows({ port: 'p1', ...left });
    const broken: GuardedSession = { ...session, drained: () => Promise.reject(new Error('the line broke')) };
    await expect(alreadyDone(broken, [detachment(true, left)])).rejects.toThrow('the line broke');
  });

  it('is not done if it shows something else', async () => {
    const { session, asked } = switchThatShows({ port: 'p1', native: 100, tagged: [] });
    expect([...(await alreadyDone(session, [detachment(true, left)]))]).toEqual([]);
    expect(asked).toEqual(['read']);
  });

  it('is not asked about if no attempt was made', async () => {
    const { session, asked } = switchThatShows({ port: 'p1', ...left });
    expect([...(await alreadyDone(session, [detachment(false, left)]))]).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('is done again if it is to carry nothing: what the reading did not show would stay on it', async () => {
    const { session, asked } = switchThatShows({ port: 'p1', ...nothing });
    expect([...(await alreadyDone(session, [detachment(true)]))]).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe('a port that shows what is recorded after a change that failed', () => {
  const back = { port: 'p1', native: 100, tagged: [] };
  const restored = (session: GuardedSession) => restore(session, [detachment(true)], () => undefined);

  it('is known once nothing passes any more that the change let through', async () => {
    const { session, asked } = switchThatShows(back);
    expect((await restored(session)).size).toBe(1);
    expect(asked).toEqual(['read', 'drained']);
  });

  it('is not known if the device cannot be waited for', async () => {
    const { session } = switchThatShows(back);
    const broken: GuardedSession = { ...session, drained: () => Promise.reject(new Error('the line broke')) };
    await expect(restored(broken)).rejects.toThrow('the line broke');
  });
});

describe('a port that nobody trusted, and that is in order when it is read', () => {
  const resting = { ...detachment(false), action: null, isWork: false };
  const drifting = { ...resting, driftSince: 1 };
  const inOrder = { port: 'p1', native: 100, tagged: [] };

  it.each([
    ['drifted', drifting, inOrder, ['read', 'drained']],
    ['was never read', { ...resting, isUnread: true }, inOrder, ['read', 'drained']],
    ['drifts still', drifting, { port: 'p1', ...nothing }, ['read']],
    ['was in order before', resting, inOrder, ['read']],
  ])('if it %s', async (_, task, shown, expected) => {
    for (const watch of [checkPorts, sweep]) {
      const { session, asked } = switchThatShows(shown);
      await watch(session, [task]);
      expect(asked).toEqual(expected);
    }
  });
});

describe('a port that is to be put back', () => {
  const shows = { port: 'p1', native: 200, tagged: [] };
  const outcomes = [
    ['refuses it', { port: 'p1', applied: false, reason: 'no' }],
    ['says yes and shows something else', { port: 'p1', applied: true }],
  ] as const;

  it.each(outcomes)('is not known if the switch %s', async (_, outcome) => {
    const { session } = switchThatShows(shows);
    const stubborn: GuardedSession = { ...session, apply: () => Promise.resolve([outcome]) };
    expect([...(await restore(stubborn, [detachment(true)], () => undefined))]).toEqual([]);
  });

  it('is known once it shows what is recorded', async () => {
    const shown = { ...shows };
    const { session } = switchThatShows(shown);
    const apply: GuardedSession['apply'] = ([wanted]) => {
      Object.assign(shown, wanted);
      return Promise.resolve([{ port: 'p1', applied: true }]);
    };
    const task = detachment(true);
    expect([...(await restore({ ...session, apply }, [task], () => undefined))]).toEqual([task]);
  });
});
