import { describe, expect, it } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import { type Service, serviceForTest } from '../../service/test/support/services/service.ts';
import { carried, tamper } from '../../service/test/support/switches/drift-helpers.ts';
import { done, eventually, settled } from '../../service/test/support/services/world.ts';
import { siteShell } from './support/cli-service.ts';

const everything = Array.from({ length: 4093 }, (_, index) => index + 2);

/** A switch as it comes from the factory: every port carries all VLANs, before anybody has registered it. */
const factoryState = (service: Service, ...ports: readonly string[]): void => {
  for (const port of ports) tamper(service, 'sw', port, { native: 1, tagged: everything });
};

interface Report {
  readonly done: number;
  readonly not_reservable: readonly { readonly node: string; readonly nic: string; readonly message: string }[];
  readonly reverted: readonly Readonly<Record<string, unknown>>[];
}

describe.each(engines)('corral apply to a switch from the factory, on %s', (engine) => {
  it('says which nodes cannot be reserved and why; --revert takes it away, and then they can be', async () => {
    const service = await serviceForTest(engine);
    const { apply, shell } = await siteShell(service);
    factoryState(service, 'p1', 'p2', 'p3');
    const first = await apply('--yes');
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/1 of the free nodes in \S+ cannot be reserved yet:/);
    expect(first.out).toMatch(/^n1 +eth0 +port p1 on switch sw was seen to carry/m);
    expect(first.out).toMatch(/^n1 +eth1 +port p2 on switch sw was seen to carry/m);
    expect(first.err).toContain('--revert takes away what 2 of these ports carry');
    expect((await shell('node list')).out).toMatch(/^n1 +blocked: port p1 on switch sw was seen to carry/m);
    expect((await service.admin.get('/nodes/free')).body).toEqual(['n1']);

    // Without an answer nothing is taken away.
    const unasked = await apply('--revert');
    expect(unasked).toMatchObject({ code: 2, err: expect.stringContaining('use --yes') as string });
    expect(unasked.out).toMatch(/^sw +p1 +n1 eth0 +VLAN 1, tagged 2-4094$/m);
    expect((await apply('--revert --dry-run --yes')).code).toBe(0);
    expect(carried(service, 'sw', 'p1').native).toBe(1);

    const reverted = await apply('--revert --yes');
    expect(reverted.code).toBe(0);
    expect(reverted.out).toMatch(/^✓ 2 ports carry nothing any more\n✓ every free node in \S+ can be reserved$/m);
    for (const port of ['p1', 'p2']) expect(carried(service, 'sw', port)).toEqual({ native: null, tagged: [] });
    // No nic of the document is on it.
    expect(carried(service, 'sw', 'p3').native).toBe(1);
    await done(service.admin.post('/project/red/connect_node', { node: 'n1' }));
    expect((await apply('--yes')).out).not.toContain('cannot be reserved');
  });

  it('says why a switch cannot be read that they are plugged into', async () => {
    const service = await serviceForTest(engine);
    const { apply } = await siteShell(service);
    service.simulated('sw').faults = { unreachable: true };
    const { code, out, err } = await apply('--yes');
    expect(code).toBe(0);
    expect(out).toMatch(/^n1 +eth0 +port p1 on switch sw has not been read/m);
    expect(err).toContain('switch sw cannot be read: connection refused');
  });

  it('for programs as JSON, also where a switch refused', async () => {
    const service = await serviceForTest(engine);
    const { apply } = await siteShell(service);
    factoryState(service, 'p2');
    const first = JSON.parse((await apply('--yes --json')).out) as Report;
    expect(first.not_reservable).toMatchObject([{ node: 'n1', nic: 'eth1' }]);
    expect(first.reverted).toEqual([]);
    service.simulated('sw').faults = { refuse: ['p2'] };
    const refused = await apply('--revert --yes --json');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('1 of 1 ports could not be reverted');
    expect((JSON.parse(refused.out) as Report).reverted).toMatchObject([
      { switch: 'sw', port: 'p2', carries: 'VLAN 1, tagged 2-4094', error: expect.any(String) as string },
    ]);
    service.simulated('sw').faults = {};
    // What it refused is tried again by itself.
    await eventually(async () => {
      const { code, out } = await apply('--revert --yes --json');
      return code === 0 && (JSON.parse(out) as Report).not_reservable.length === 0 ? true : undefined;
    });
    expect(carried(service, 'sw', 'p2')).toEqual({ native: null, tagged: [] });
  });

  it('ports of reserved nodes are left alone', async () => {
    const service = await serviceForTest(engine);
    const { apply } = await siteShell(service);
    await apply('--yes');
    await done(service.admin.post('/project/red/connect_node', { node: 'n1' }));
    const queued = await service.admin.post('/node/n1/nic/eth0/connect_network', { network: 'lab' });
    expect((await settled(service, queued)).status).toBe('DONE');
    tamper(service, 'sw', 'p2', { native: 9 });
    await done(service.admin.post('/switch/sw/sweep'));
    const { code, out } = await apply('--revert --yes');
    expect(code).toBe(0);
    expect(out).not.toContain('cannot be reserved');
    expect(carried(service, 'sw', 'p2').native).toBe(9);
  });
});
