import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import type { Service } from '../support/services/service.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { slowSwitches } from '../support/switches/slow-switches.ts';
import {
  connect,
  detach,
  done,
  eventually,
  makeNetwork,
  makeProject,
  obmd,
  reserve,
} from '../support/services/world.ts';

/** A free node on a port of a switch that loses the first write and delivers it later. */
const makeSlowNode = async ({ admin }: Service, node: string, lateMs: number): Promise<void> => {
  await done(admin.put(`/node/${node}`, { obmd }));
  await done(admin.put(`/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:01' }));
  await done(admin.put(`/switch/sw-${node}`, { type: 'slow', late_ms: lateMs }));
  await done(admin.put(`/switch/sw-${node}/port/p1`));
  await done(admin.post(`/switch/sw-${node}/port/p1/connect_nic`, { node, nic: 'eth0' }));
};

const eventTypes = async ({ admin }: Service, node: string): Promise<string[]> => {
  const { body } = await done(admin.get(`/events?node=${node}`));
  return (body as { events: { type: string }[] }).events.map(({ type }) => type);
};

/** The doubt about a node's port, as an operator sees it: in show_port, in the drift and in the metrics. */
const shownOf = async ({ admin, url }: Service, node: string) => {
  const port = (await done(admin.get(`/switch/sw-${node}/port/p1`))).body as { in_doubt_until?: string };
  const drift = (await done(admin.get(`/switch/sw-${node}/drift`))).body as { in_doubt: readonly string[] };
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return {
    until: Date.parse(port.in_doubt_until ?? ''),
    drift: drift.in_doubt,
    metric: new RegExp(`^corral_ports_in_doubt\\{switch="sw-${node}"\\} (\\d+)$`, 'm').exec(metrics)?.[1],
  };
};

describe.each(engines)('a switch that does not refuse what arrives late, on %s', (engine) => {
  const service = sharedService(engine, { ...slowSwitches, CORRAL_ENGINE_LATE_WRITE: '9' });
  // What is plugged in is there once for both.
  const [n1, n2] = [`${engine}-1`, `${engine}-2`];

  it('keeps its ports in doubt after a session broke off, until a late write was found and put right', async () => {
    await makeProject(service(), 'red');
    await makeNetwork(service(), 'net', 'red');
    await makeSlowNode(service(), n1, 500);
    await reserve(service(), 'red', n1);
    await connect(service(), n1, 'eth0', 'net');
    await detach(service(), n1, 'eth0', 'net');
    const release = () => service().admin.post('/project/red/detach_node', { node: n1 });
    expect(await refusal(release())).toBe('409 BlockedError');
    expect(await message(release())).toContain('may still arrive');
    expect(await refusal(service().admin.del('/network/net'))).toBe('409 BlockedError');
    expect(await eventTypes(service(), n1)).toContain('port_in_doubt');
    expect(await shownOf(service(), n1)).toEqual({ until: expect.any(Number) as number, drift: ['p1'], metric: '1' });
    expect((await shownOf(service(), n1)).until).toBeGreaterThan(Date.now());

    // The write of the connection arrives, is seen as what it is, and taken off again.
    await eventually(async () => ((await release()).status === 200 ? true : undefined));
    expect(await shownOf(service(), n1)).toEqual({ until: Number.NaN, drift: [], metric: undefined });
    const types = await eventTypes(service(), n1);
    expect(types).toContain('port_late_write');
    expect(types).toContain('port_repaired');
    expect(types).not.toContain('port_drift');
    const { body } = await done(service().admin.post(`/switch/sw-${n1}/sweep`));
    expect((body as { ports: unknown[] }).ports).toEqual([]);
    await done(service().admin.del('/network/net'));
  });

  it('trusts them again when nothing has arrived until the end', async () => {
    await makeProject(service(), 'blue');
    await makeNetwork(service(), 'other', 'blue');
    await makeSlowNode(service(), n2, 60_000);
    await reserve(service(), 'blue', n2);
    const started = Date.now();
    await connect(service(), n2, 'eth0', 'other');
    await detach(service(), n2, 'eth0', 'other');
    await eventually(async () =>
      (await service().admin.post('/project/blue/detach_node', { node: n2 })).status === 200 ? true : undefined,
    );
    expect(Date.now() - started).toBeGreaterThan(5_000);
    expect(await eventTypes(service(), n2)).not.toContain('port_late_write');
    await reserve(service(), 'blue', n2);
  });
});
