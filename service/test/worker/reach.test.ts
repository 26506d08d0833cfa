import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import type { Client } from '../support/http/http-client.ts';
import { oddSwitches } from '../support/switches/faulty-switches.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { refusal } from '../support/services/shared-service.ts';
import { aTime, sweep, tamper } from '../support/switches/drift-helpers.ts';
import {
  connect,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  obmd,
  reserve,
  settled,
} from '../support/services/world.ts';

interface Reach {
  readonly network: string;
  readonly vlan: number;
  readonly complete: boolean;
  readonly ports: readonly { readonly verdict: string; readonly node: string | null }[];
  readonly switches?: readonly { readonly switch: string; readonly read_at: string | null }[];
}

const reachOf = async (client: Client, network: string): Promise<Reach> =>
  (await done(client.get(`/network/${network}/reach`))).body as Reach;

/** Who can exchange frames on a network, as the switches say. */
describe.each(engines)('the reach of a network on %s', (engine) => {
  // These remember their ports for as long as the process lives.
  const odd = `odd-${engine}`;

  /** Projects red (alice) and blue (bob); red has network `net` on VLAN 100 and nodes n1 and n2, both on `sw0`. */
  const makeWorld = async (): Promise<Service> => {
    const service = await serviceForTest(engine, oddSwitches);
    await makeProject(service, 'red');
    await makeProject(service, 'blue');
    await makeUser(service, 'alice', 'red');
    await makeUser(service, 'bob', 'blue');
    await makeNetwork(service, 'net', 'red');
    for (const node of ['n1', 'n2']) {
      await makeNode(service, node, ['eth0']);
      await reserve(service, 'red', node);
    }
    return service;
  };
  const portOf = (node: string, verdict: string, channel: string | null, onSwitch = 'sw0') => ({
    switch: onSwitch,
    port: `${node}/eth0`,
    node,
    nic: 'eth0',
    project: 'red',
    verdict,
    channel,
    read_at: aTime(),
  });

  it('is empty where no port carries it', async () => {
    const service = await makeWorld();
    expect(await reachOf(service.admin, 'net')).toEqual({
      network: 'net',
      vlan: 100,
      complete: true,
      ports: [],
      switches: [{ switch: 'sw0', read_at: aTime(), fault: null }],
    });
  });

  it('holds the ports that carry it as recorded, untagged or tagged, on every switch, and no others', async () => {
    const service = await makeWorld();
    await makeNetwork(service, 'other', 'red');
    await makeNode(service, 'n3', ['eth0'], 'sw1');
    await reserve(service, 'red', 'n3');
    await connect(service, 'n1', 'eth0', 'net');
    await connect(service, 'n2', 'eth0', 'other');
    await connect(service, 'n3', 'eth0', 'net', 'vlan/100');
    const reach = await reachOf(service.admin, 'net');
    expect(reach).toEqual({
      network: 'net',
      vlan: 100,
      complete: true,
      ports: [portOf('n1', 'as recorded', 'vlan/native'), portOf('n3', 'as recorded', 'vlan/100', 'sw1')],
      switches: [
        { switch: 'sw0', read_at: aTime(), fault: null },
        { switch: 'sw1', read_at: aTime(), fault: null },
      ],
    });
    expect((await reachOf(service.admin, 'other')).ports).toEqual([portOf('n2', 'as recorded', 'vlan/native')]);
  });

  it('is read from the switches for every answer: what somebody edited shows at once', async () => {
    const service = await makeWorld();
    await connect(service, 'n1', 'eth0', 'net');
    tamper(service, 'sw0', 'n1/eth0', {});
    tamper(service, 'sw0', 'n2/eth0', { native: 7, tagged: [99, 100, 101] });
    tamper(service, 'sw0', 'uplink', { tagged: [100] });
    tamper(service, 'sw0', 'desk', { native: 100 });
    tamper(service, 'sw0', 'elsewhere', { native: 101 });
    // A fresh port of some switches: untagged frames in no VLAN, and every tag.
    tamper(service, 'sw0', 'fresh', { native: 0, tagged: Array.from({ length: 4094 }, (_, index) => index + 1) });
    const reach = await reachOf(service.admin, 'net');
    const stranger = { switch: 'sw0', node: null, nic: null, project: null, verdict: 'unregistered', read_at: aTime() };
    expect(reach.complete).toBe(true);
    expect(reach.ports).toEqual([
      portOf('n1', 'missing', null),
      portOf('n2', 'unexpected', 'vlan/100'),
      { ...stranger, port: 'uplink', channel: 'vlan/100' },
      { ...stranger, port: 'desk', channel: 'vlan/native' },
      { ...stranger, port: 'fresh', channel: 'vlan/100' },
    ]);
    tamper(service, 'sw0', 'fresh', {});
    tamper(service, 'sw0', 'n1/eth0', { native: 100 });
    tamper(service, 'sw0', 'n2/eth0', {});
    tamper(service, 'sw0', 'uplink', {});
    tamper(service, 'sw0', 'desk', { native: 101 });
    expect((await reachOf(service.admin, 'net')).ports).toEqual([portOf('n1', 'as recorded', 'vlan/native')]);
  });

  it('a network by another channel than is recorded is unexpected', async () => {
    const service = await makeWorld();
    await connect(service, 'n1', 'eth0', 'net', 'vlan/100');
    tamper(service, 'sw0', 'n1/eth0', { native: 100 });
    expect((await reachOf(service.admin, 'net')).ports).toEqual([portOf('n1', 'unexpected', 'vlan/native')]);
  });

  it('a port of which nobody knows what it carries is unknown, and the answer is not complete', async () => {
    const service = await makeWorld();
    service.simulated('sw0').faults = { drop: true };
    const action = await settled(
      service,
      await service.admin.post('/node/n1/nic/eth0/connect_network', { network: 'net' }),
    );
    expect(action.status).toBe('ERROR');
    const doubtful = await reachOf(service.admin, 'net');
    expect(doubtful.complete).toBe(false);
    expect(doubtful.ports).toEqual([portOf('n1', 'unknown', null)]);
    service.simulated('sw0').faults = {};
    const known = await eventually(async () => {
      const reach = await reachOf(service.admin, 'net');
      return reach.complete ? reach : undefined;
    });
    expect(known.ports).toEqual([]);
  });

  it('a switch that cannot be read is named with its fault, and its ports with the time when they were read', async () => {
    const service = await makeWorld();
    await makeNode(service, 'n3', ['eth0'], 'sw1');
    await reserve(service, 'red', 'n3');
    await connect(service, 'n1', 'eth0', 'net');
    await connect(service, 'n3', 'eth0', 'net');
    const whole = await reachOf(service.admin, 'net');
    expect(whole.complete).toBe(true);
    service.simulated('sw1').faults = { unreachable: true };
    const partial = await reachOf(service.admin, 'net');
    expect(partial.complete).toBe(false);
    expect(partial.switches).toEqual([
      { switch: 'sw0', read_at: aTime(), fault: null },
      { ...whole.switches?.[1], fault: 'connection refused' },
    ]);
    expect(partial.switches?.[0]?.read_at).not.toBe(whole.switches?.[0]?.read_at);
    expect(partial.ports[1]).toEqual(whole.ports[1]);
    service.simulated('sw1').faults = {};
    expect((await reachOf(service.admin, 'net')).complete).toBe(true);
  });

  it('a port that was never read is unknown', async () => {
    const service = await makeWorld();
    await makeNode(service, 'n3');
    await done(service.admin.put('/node/n3/nic/eth0', { macaddr: 'm' }));
    await done(
      service.admin.put('/switch/sw1', { type: 'mock', hostname: 'h', username: 'operator', password: 'secret' }),
    );
    service.simulated('sw1').faults = { unreachable: true };
    await done(service.admin.put('/switch/sw1/port/n3/eth0'));
    await done(service.admin.post('/switch/sw1/port/n3/eth0/connect_nic', { node: 'n3', nic: 'eth0' }));
    const reach = await reachOf(service.admin, 'net');
    expect(reach.complete).toBe(false);
    expect(reach.ports).toEqual([{ ...portOf('n3', 'unknown', null, 'sw1'), project: null, read_at: null }]);
  });

  it('a switch that shows only what it is asked for is read port by port', async () => {
    const service = await makeWorld();
    await done(service.admin.put(`/switch/${odd}`, { type: 'gappy', hostname: 'h' }));
    await done(service.admin.put('/node/n3', { obmd }));
    await done(service.admin.put('/node/n3/nic/eth0', { macaddr: 'm' }));
    await done(service.admin.put(`/switch/${odd}/port/n3/eth0`));
    await done(service.admin.post(`/switch/${odd}/port/n3/eth0/connect_nic`, { node: 'n3', nic: 'eth0' }));
    await reserve(service, 'red', 'n3');
    await connect(service, 'n3', 'eth0', 'net');
    const reach = await reachOf(service.admin, 'net');
    expect(reach.complete).toBe(true);
    expect(reach.ports).toEqual([portOf('n3', 'as recorded', 'vlan/native', odd)]);
  });

  it('the owner sees who is on it, and nothing of switches and ports', async () => {
    const service = await makeWorld();
    await makeNode(service, 'n3', ['eth0']);
    await done(service.admin.put('/network/net/access/blue'));
    await reserve(service, 'blue', 'n3');
    await connect(service, 'n1', 'eth0', 'net');
    await connect(service, 'n3', 'eth0', 'net', 'vlan/100');
    tamper(service, 'sw0', 'uplink', { tagged: [100] });
    const seen = { nic: 'eth0', verdict: 'as recorded', read_at: aTime() };
    expect(await reachOf(service.as('alice'), 'net')).toEqual({
      network: 'net',
      vlan: 100,
      complete: true,
      ports: [
        { ...seen, node: 'n1', project: 'red', channel: 'vlan/native' },
        { ...seen, node: 'n3', project: 'blue', channel: 'vlan/100' },
        { node: null, nic: null, project: null, verdict: 'unregistered', channel: 'vlan/100', read_at: aTime() },
      ],
    });
    service.simulated('sw0').faults = { unreachable: true };
    // For a moment the last sweep answers tenants.
    const { text } = await eventually(async () => {
      const answer = await done(service.as('alice').get('/network/net/reach'));
      return (answer.body as Reach).complete ? undefined : answer;
    });
    expect(text).not.toMatch(/sw0|uplink|refused|n1\/eth0/);
  });

  it('nobody else sees anything', async () => {
    const service = await makeWorld();
    await done(service.admin.put('/network/net/access/blue'));
    await done(service.admin.put('/network/shared', { owner: 'admin', access: 'red', net_id: '' }));
    await done(service.admin.put('/network/public', { owner: 'admin', access: '', net_id: '3000' }));
    const [alice, bob] = [service.as('alice'), service.as('bob')];
    expect(await refusal(bob.get('/network/net/reach'))).toBe('401 AuthorizationError');
    expect(await refusal(alice.get('/network/shared/reach'))).toBe('401 AuthorizationError');
    expect(await refusal(alice.get('/network/public/reach'))).toBe('401 AuthorizationError');
    for (const network of ['net', 'public', 'none']) {
      expect(await refusal(service.anonymous.get(`/network/${network}/reach`))).toBe('401 AuthorizationError');
    }
    for (const client of [alice, service.admin]) {
      expect(await refusal(client.get('/network/none/reach'))).toBe('404 NotFoundError');
    }
    await sweep(service, 'sw0');
  });

  it('networks of the operator, public ones too, have one for administrators', async () => {
    const service = await makeWorld();
    await done(service.admin.put('/network/public', { owner: 'admin', access: '', net_id: '3000' }));
    await connect(service, 'n1', 'eth0', 'public');
    expect(await reachOf(service.admin, 'public')).toMatchObject({
      network: 'public',
      vlan: 3000,
      complete: true,
      ports: [portOf('n1', 'as recorded', 'vlan/native')],
    });
  });
});
