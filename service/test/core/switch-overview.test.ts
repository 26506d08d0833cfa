import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { refusal, sharedService } from '../support/services/shared-service.ts';
import { aTime, driftOf, sweep, tamper } from '../support/switches/drift-helpers.ts';
import { done, makeNode, makeSwitch, makeUser } from '../support/services/world.ts';

interface Page {
  readonly event: number;
  readonly switches: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[];
  readonly next: string | null;
}

describe.each(engines)('overviews of switches on %s', (engine) => {
  const service = sharedService(engine);
  const pageOf = async (query = ''): Promise<Page> =>
    (await done(service().admin.get(`/overview/switches${query}`))).body as Page;
  const shown = async (label: string) => (await pageOf()).switches.find(({ name }) => name === label);

  it('has the state, the last reading and the drift of each', async () => {
    await makeSwitch(service(), 'quiet');
    expect(await shown('quiet')).toEqual({
      name: 'quiet',
      type: 'mock',
      policy: 'report',
      state: 'unread',
      swept_at: null,
      fault: null,
      unsaved_since: null,
      save_fault: null,
      duplicate_of: null,
      ports: 0,
      drifting: 0,
      suspect: 0,
      unread: 0,
      in_doubt: 0,
    });
    await makeNode(service(), 'n1', ['eth0', 'eth1', 'eth2'], 'busy');
    for (const nic of ['eth0', 'eth2']) tamper(service(), 'busy', `n1/${nic}`, { native: 5 });
    await sweep(service(), 'busy');
    expect(await shown('busy')).toMatchObject({ state: 'ok', swept_at: aTime(), ports: 3, drifting: 2, unread: 0 });
    expect((await driftOf(service(), 'busy')).ports).toHaveLength(2);
  });

  it('says when a switch does not answer, and why', async () => {
    await done(
      service().admin.put('/switch/gone', {
        type: 'arista-eos',
        hostname: '127.0.0.1:9',
        username: 'u',
        password: 'p',
      }),
    );
    await service().admin.post('/switch/gone/sweep');
    const { fault } = await driftOf(service(), 'gone');
    expect(fault).not.toBeNull();
    expect(await shown('gone')).toMatchObject({ state: 'unreachable', fault });
  });

  it('comes in pages, for administrators only', async () => {
    for (const label of ['p1', 'p2', 'p3']) await makeSwitch(service(), label);
    const seen: string[] = [];
    for (let page = await pageOf('?limit=2'); ; page = await pageOf(`?limit=2&after=${page.next}`)) {
      seen.push(...page.switches.map(({ name }) => name));
      if (page.next === null) break;
    }
    expect(seen.sort()).toEqual((await done(service().admin.get('/switches'))).body);
    const ada = await makeUser(service(), 'ada');
    for (const caller of [ada, service().anonymous])
      expect(await refusal(caller.get('/overview/switches'))).toBe('401 AuthorizationError');
  });
});
