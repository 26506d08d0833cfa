import { steadyNow } from '@corral/base/steady-clock';
import { describe, expect, it } from 'vitest';
import { decideEndings } from '../../src/worker/decide-endings.ts';
import type { GuardedSession } from '../../src/worker/guarded-session.ts';
import type { PortResult } from '../../src/worker/port-pass.ts';
import type { PortTask } from '../../src/worker/port-task.ts';

const nothing = { native: null, tagged: [] };
const shop = { config: { budgetMs: 60_000 }, step: () => undefined } as unknown as Parameters<typeof decideEndings>[0];

/** A connection to VLAN 100 that was just queued. */
const task = (attempts: number): PortTask => ({
  ...{ portId: 1, port: 'p1', nicId: 1, nic: 'eth0', node: 'n1', project: null },
  ...{ recorded: nothing, wanted: { native: 100, tagged: [] } },
  ...{ isSuspect: false, isUnread: false, isDoubtful: false, isWork: true },
  ...{ late: null, driftSince: null, reading: null, suspectAttempts: 0 },
  action: {
    ...{ id: 1, statusId: 's', kind: 'connect', networkId: 1, network: 'net', channel: 'vlan/native' },
    ...{ createdAt: steadyNow(), attempts, touched: true },
  },
});
const refused = (attempts = 0): PortResult => ({ task: task(attempts), kind: 'refused', reason: 'no' });
const mismatch = (attempts: number): PortResult => ({
  task: task(attempts),
  kind: 'mismatch',
  reason: 'it shows less',
});

/** A switch whose port carries nothing. */
const session: GuardedSession = {
  apply: (ports) => Promise.resolve(ports.map(({ port }) => ({ port, applied: true as const }))),
  read: (ports) => Promise.resolve(ports.map((port) => ({ port, ...nothing }))),
  close: () => Promise.resolve(),
};
const kindsOf = async (results: readonly PortResult[], talking = session): Promise<string[]> =>
  (await decideEndings(shop, talking, results)).map(({ kind }) => kind);

describe('how the work on a port ends', () => {
  it('a refusal ends it at once, and the port is as it was', async () => {
    expect(await kindsOf([refused()])).toEqual(['failed']);
  });

  it('a switch that shows something else has a few chances', async () => {
    expect(await kindsOf([mismatch(0)])).toEqual(['later']);
    expect(await kindsOf([mismatch(5)])).toEqual(['failed']);
  });

  it('a port that cannot be read after a failure is suspect', async () => {
    const unreadable: GuardedSession = { ...session, read: () => Promise.reject(new Error('connection lost')) };
    expect(await kindsOf([refused()], unreadable)).toEqual(['suspect']);
  });

  it('so is one that cannot be put back', async () => {
    const stuck: GuardedSession = {
      ...session,
      read: (ports) => Promise.resolve(ports.map((port) => ({ port, native: 100, tagged: [] }))),
    };
    expect(await kindsOf([refused()], stuck)).toEqual(['suspect']);
  });
});
