import { rm } from 'node:fs/promises';
import { type Capture, hasPart, type LabFrame, type LabHost, type Stream } from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { NetworkMembership } from '../support/switches/network-membership.ts';
import {
  nodeOf,
  type PacketSwitch,
  packetSwitches,
  patient,
  revertAll,
  vlansOf,
  wire,
} from '../support/switches/packet-switches.ts';
import { type Service, startService } from '../support/services/service.ts';
import { connect, detach, done, eventually, makeNetwork, makeProject, reserve } from '../support/services/world.ts';

const changes = 200;
const movers = 4;
const networks = ['red', 'blue'] as const;
type Network = (typeof networks)[number];

/** Once on PostgreSQL, where there is one: the frames do not care. */
const engine = engines.at(-1) ?? 'sqlite';

describe.each(packetSwitches)('ports that change networks on $part', (kind) => {
  describe.runIf(hasPart(kind.part))('with real packets', () => {
    let service: Service;
    let device: PacketSwitch;
    let vlans: ReadonlyMap<string, number>;
    const membership = new NetworkMembership();

    beforeAll(async () => {
      [service, device] = await Promise.all([startService(engine, patient), kind.start(networks.length + movers)]);
      for (const network of networks) {
        await makeProject(service, network);
        await makeNetwork(service, network, network);
      }
      vlans = await vlansOf(service.admin);
      await wire(service.admin, kind.type, device, kind.quick);
      await revertAll(service, device.hosts);
    });
    afterAll(async () => {
      await device.stop();
      await service.stop();
      await rm(service.dataDir, { recursive: true, force: true });
    });

    const join = async (host: LabHost, network: Network, isTagged: boolean): Promise<void> => {
      const node = nodeOf(host);
      const vlan = vlans.get(network) ?? Number.NaN;
      await reserve(service, network, node);
      membership.begins(host.port, network, isTagged ? [vlan] : []);
      await connect(service, node, 'eth0', network, isTagged ? `vlan/${vlan}` : 'vlan/native');
    };
    const leave = async (host: LabHost, network: Network): Promise<void> => {
      const node = nodeOf(host);
      await detach(service, node, 'eth0', network);
      membership.ends(host.port, network);
      await done(service.admin.post(`/project/${network}/detach_node`, { node }));
    };
    const stream = (host: LabHost, index: number): Stream =>
      host.stream(
        { marker: host.port, tags: `untagged,${[...vlans.values()].join(',')}` },
        index < networks.length ? 2 : 5,
      );

    /** Moves a host from project to project, and waits each time until it has heard the one who stays there. */
    const move = async (host: LabHost, capture: Capture, stayers: ReadonlyMap<Network, LabHost>): Promise<number> => {
      let moves = 0;
      for (; moves < changes / movers; moves += 1) {
        const network = networks[moves % 2] ?? 'red';
        await join(host, network, moves % 4 >= 2);
        const stayer = stayers.get(network)?.port;
        const since = Date.now();
        await capture.until(({ marker, at }) => marker === stayer && at >= since);
        await leave(host, network);
      }
      return moves;
    };

    it(`${changes} changes let no frame reach a host that is not on its network`, { timeout: 240_000 }, async () => {
      const captures = new Map(
        await Promise.all(device.hosts.map(async (host) => [host, await host.capture()] as const)),
      );
      const stayers = new Map<Network, LabHost>();
      for (const [index, network] of networks.entries()) {
        const host = device.hosts[index];
        if (!host) throw new Error('there are too few hosts');
        stayers.set(network, host);
        await join(host, network, false);
      }
      const streams = device.hosts.map(stream);
      const moving = device.hosts.slice(networks.length).map(async (host) => {
        const capture = captures.get(host);
        return capture ? move(host, capture, stayers) : 0;
      });
      const moved = await Promise.all(moving);
      await Promise.all(streams.map((one) => one.stop()));
      expect(moved.reduce((sum, moves) => sum + moves, 0)).toBe(changes);
      const seen = new Map<string, readonly LabFrame[]>();
      for (const [host, capture] of captures) seen.set(host.port, await capture.stop());
      const wrongs = [...seen].flatMap(([port, frames]) => membership.wrongs(port, frames));
      expect({ count: wrongs.length, first: wrongs.slice(0, 5) }).toEqual({ count: 0, first: [] });
      // It was no silent switch: everybody who moved was heard by both who stayed.
      for (const stayer of stayers.values()) {
        const heard = new Set(seen.get(stayer.port)?.map(({ marker }) => marker));
        expect(heard.size).toBe(movers);
      }
      await eventually(async () => {
        const { body } = await done(service.admin.post('/switch/sw0/sweep'));
        return (body as { ports: unknown[] }).ports.length === 0 ? true : undefined;
      });
    });
  });
});

describe('whether a frame is wrong', () => {
  const frame = (at: number, marker: string, ...tags: number[]): LabFrame => ({
    at,
    marker,
    tags,
    source: '',
    destination: '',
  });
  const membership = new NetworkMembership();
  membership.begins('a', 'red', [], 0);
  membership.begins('b', 'red', [100], 100);
  membership.ends('b', 'red', 200);
  membership.begins('b', 'blue', [], 150);
  membership.begins('c', 'blue', [], 0);

  it.each([
    ['right while both may be on the network', 'b', frame(150, 'a', 100), 0],
    ['right in both directions', 'a', frame(150, 'b'), 0],
    ['wrong before the connection is asked for', 'b', frame(99.9, 'a', 100), 1],
    ['wrong after the detachment is done', 'b', frame(200.1, 'a', 100), 1],
    ['wrong with a tag of another network', 'b', frame(150, 'a', 101), 1],
    ['wrong without the tag that it should have', 'b', frame(140, 'a'), 1],
    ['wrong if the two share no network', 'a', frame(150, 'c'), 1],
    ['wrong if nobody knows the sender', 'a', frame(150, 'stranger'), 1],
  ])('%s', (_, host, seen, wrongs) => {
    expect(membership.wrongs(host, [seen])).toHaveLength(wrongs);
  });
});
