import { rm } from 'node:fs/promises';
import { type Capture, hasPart, type LabHost } from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

/*
 * The tests of one switch are chapters of one story. Captures run from its beginning to its end; every probe has a
 * marker of its own, and a switch keeps the order of what one port sends. So a later frame of the same sender that
 * does arrive proves that an earlier one which did not arrive is not merely late.
 */
describe.each(packetSwitches)('isolation on $part', (kind) => {
  describe.runIf(hasPart(kind.part))('with real packets', () => {
    let service: Service;
    let device: PacketSwitch;
    let captures: ReadonlyMap<LabHost, Capture>;
    let vlans: ReadonlyMap<string, number>;

    beforeAll(async () => {
      [service, device] = await Promise.all([startService('sqlite', patient), kind.start(5)]);
      captures = new Map(await Promise.all(device.hosts.map(async (host) => [host, await host.capture()] as const)));
      for (const project of ['red', 'blue']) await makeProject(service, project);
      for (const network of ['red-native', 'red-1', 'red-2', 'red-3']) await makeNetwork(service, network, 'red');
      for (const network of ['blue-native', 'blue-1']) await makeNetwork(service, network, 'blue');
      vlans = await vlansOf(service.admin);
      await wire(service.admin, kind.type, device);
    });
    afterAll(async () => {
      await device.stop();
      await service.stop();
      await rm(service.dataDir, { recursive: true, force: true });
    });

    const host = (index: number): LabHost => {
      const found = device.hosts[index];
      if (!found) throw new Error(`there is no host ${index}`);
      return found;
    };
    const vlan = (network: string): number => vlans.get(network) ?? Number.NaN;
    const captureOf = (at: LabHost): Capture => {
      const capture = captures.get(at);
      if (!capture) throw new Error(`nothing is captured at ${at.port}`);
      return capture;
    };
    /** What a host has received with this marker: each frame by its tags, `-` for none. */
    const heard = (at: LabHost, marker: string): string[] =>
      captureOf(at)
        .frames.filter((frame) => frame.marker === marker)
        .map(({ tags }) => tags.join('.') || '-');
    /** Sends until the other one hears it: what was sent before has gone where it could by then. */
    const flush = async (from: LabHost, to: LabHost, marker: string, tags = 'untagged'): Promise<void> => {
      await eventually(async () => {
        await from.send({ marker, tags });
        return captureOf(to)
          .until((frame) => frame.marker === marker, 500)
          .then(
            () => true,
            () => undefined,
          );
      });
    };
    const connected = (from: LabHost, network: string, channel?: string): Promise<void> =>
      connect(service, nodeOf(from), 'eth0', network, channel);
    const detached = (from: LabHost, network: string): Promise<void> => detach(service, nodeOf(from), 'eth0', network);
    const release = (project: string, from: LabHost) =>
      service.admin.post(`/project/${project}/detach_node`, { node: nodeOf(from) });

    /** No tag and every tag, to everybody and to one alone, and some pairs of tags. */
    const guess = async (from: LabHost, marker: string, victim: LabHost, targets: readonly number[]): Promise<void> => {
      const pairs = targets.flatMap((outer) =>
        [0, 1, 4095, ...targets].flatMap((inner) => [`${outer}.${inner}`, `${inner}.${outer}`]),
      );
      await from.send({ marker, tags: `untagged,0-4095,${pairs.join(',')}` });
      await from.send({ marker, tags: `untagged,${targets.join(',')}`, to: victim.mac });
    };
    /** All that there is: every tag inside each of these and around it too, and tags of the other type. */
    const guessAll = async (
      from: LabHost,
      marker: string,
      victim: LabHost,
      targets: readonly number[],
    ): Promise<void> => {
      await guess(from, marker, victim, targets);
      for (const target of targets) {
        await from.send({ marker, tags: everyTag.map((tag) => `${target}.${tag}`).join(',') });
        await from.send({ marker, tags: everyTag.map((tag) => `${tag}.${target}`).join(',') });
      }
      await from.send({ marker, tags: 'untagged,0-4095', to: victim.mac });
      await from.send({ marker, tags: 'untagged,0-4095', tpid: '88a8' });
    };

    it('before adoption frames pass, and so nobody can reserve the node', async () => {
      const [sender, other] = [host(0), host(4)];
      await flush(sender, other, 'hello');
      // The captures see what there is to see: here, where everything passes, each frame is seen. A switch in user space
      // loses some on a busy machine, so they are sent again.
      const passing = new Set(['-', ...(kind.passesUnconfigured === 'every tag' ? everyTag.map(String) : [])]);
      const seen = () => new Set(heard(other, 'unadopted'));
      await eventually(async () => {
        await sender.send({ marker: 'unadopted', tags: 'untagged,1-4094' });
        await flush(sender, other, 'unadopted sent');
        return seen().size >= passing.size ? true : undefined;
      });
      expect(seen()).toEqual(passing);
      for (const one of device.hosts) {
        const answer = await eventually(async () => {
          const got = await service.admin.post('/project/red/connect_node', { node: nodeOf(one) });
          return got.text.includes('has not been read') ? undefined : got;
        });
        expect(answer).toMatchObject({ status: 409, body: { type: 'BlockedError' } });
        expect(answer.text).toContain('is not recorded');
      }
    });

    it('a reserved node that is on no network reaches nobody, whatever it sends', async () => {
      await revertAll(service, device.hosts);
      for (const red of [host(0), host(1)]) await reserve(service, 'red', nodeOf(red));
      for (const blue of [host(2), host(3)]) await reserve(service, 'blue', nodeOf(blue));
      await guess(host(0), 'parked', host(1), [vlan('blue-native'), 4095]);
      expect(await host(0).ping(host(1), 500)).toBe(false);
    });

    it('while the networks are being connected, nobody of the other project hears anything', async () => {
      const targets = [vlan('red-native'), vlan('blue-native')];
      const stream = host(2).stream({ marker: 'blue during', tags: `untagged,${targets.join(',')},100-110` });
      const redStream = host(0).stream({ marker: 'red during', tags: `untagged,${targets.join(',')},100-110` });
      await Promise.all([connected(host(0), 'red-native'), connected(host(2), 'blue-native')]);
      await Promise.all([connected(host(1), 'red-native'), connected(host(3), 'blue-native')]);
      await captureOf(host(1)).until(({ marker }) => marker === 'red during');
      await captureOf(host(3)).until(({ marker }) => marker === 'blue during');
      await Promise.all([stream.stop(), redStream.stop()]);
    });

    it('two nodes of one project on one network reach each other', async () => {
      expect(await host(0).ping(host(1), 5_000)).toBe(true);
      expect(await host(2).ping(host(3), 5_000)).toBe(true);
      expect(await host(0).ping(host(2), 500)).toBe(false);
    });

    it('the nodes of another project are not reached by any guessed tag', async () => {
      await guessAll(host(2), 'guessed', host(0), [vlan('red-native'), vlan('blue-native')]);
      await flush(host(2), host(3), 'guessed sent');
      expect(heard(host(3), 'guessed')).toContain('-');
    });

    it('a nic carries a native and several tagged networks, each with its tag', async () => {
      for (const red of [host(0), host(1)]) {
        for (const network of ['red-1', 'red-2']) await connected(red, network, `vlan/${vlan(network)}`);
      }
      await connected(host(1), 'red-3', `vlan/${vlan('red-3')}`);
      await connected(host(3), 'blue-1', `vlan/${vlan('blue-1')}`);
      for (const network of ['red-1', 'red-2']) await flush(host(0), host(1), network, String(vlan(network)));
      await flush(host(0), host(1), 'red-native');
      for (const network of ['red-1', 'red-2'])
        expect(new Set(heard(host(1), network))).toEqual(new Set([String(vlan(network))]));
      expect(new Set(heard(host(1), 'red-native'))).toEqual(new Set(['-']));
      // The network that the other one alone is on, and those of the other project, are not for this one.
      await host(0).send({ marker: 'not its own', tags: ['red-3', 'blue-1', 'blue-native'].map(vlan).join(',') });
      await guess(host(2), 'guessed at trunks', host(1), [vlan('red-1'), vlan('red-3')]);
      await flush(host(2), host(3), 'guessed at trunks sent');
      await flush(host(0), host(1), 'not its own sent');
      expect(heard(host(1), 'not its own')).toEqual([]);
    });

    it('a detached network no longer passes, the others still do', async () => {
      await detached(host(1), 'red-1');
      await host(0).send({ marker: 'detached', tags: String(vlan('red-1')) });
      await host(1).send({ marker: 'detached back', tags: String(vlan('red-1')) });
      for (const [from, to] of [[host(0), host(1)] as const, [host(1), host(0)] as const])
        await flush(from, to, `still from ${from.port}`, String(vlan('red-2')));
      expect(heard(host(1), 'detached')).toEqual([]);
      expect(heard(host(0), 'detached back')).toEqual([]);
    });

    it('after detaching and releasing nothing passes, and the next project gets nothing of the last one', async () => {
      expect((await release('red', host(0))).status).toBe(409);
      for (const network of ['red-native', 'red-1', 'red-2']) await detached(host(0), network);
      await guess(host(0), 'detached from all', host(1), [vlan('red-native'), vlan('red-2')]);
      await done(release('red', host(0)));
      await host(1).send({ marker: 'to the released', tags: `untagged,${vlan('red-2')}`, to: host(0).mac });
      expect(await host(0).ping(host(1), 500)).toBe(false);
      await guessAll(host(0), 'released', host(1), [vlan('red-native'), vlan('blue-native')]);
      await reserve(service, 'blue', nodeOf(host(0)));
      await connected(host(0), 'blue-native');
      await flush(host(0), host(2), 'now blue');
      await guess(host(0), 'reserved again', host(1), [vlan('red-native'), vlan('red-2')]);
      await flush(host(0), host(2), 'reserved again sent');
    });

    it('in the whole story no frame reached a host that it was not for', async () => {
      const seenBy = async (at: LabHost): Promise<string[]> => {
        const frames = await captureOf(at).stop();
        return [...new Set(frames.map(({ marker }) => marker))]
          .filter((marker) => !beforeAdoption.includes(marker))
          .sort();
      };
      const redOnly = ['red during', 'red-native', 'red-1', 'red-2', 'not its own sent'];
      expect(await seenBy(host(1))).toEqual([...redOnly, `still from ${host(0).port}`].sort());
      expect(await seenBy(host(0))).toEqual([`still from ${host(1).port}`].sort());
      const blue = ['now blue', 'reserved again', 'reserved again sent'];
      expect(await seenBy(host(2))).toEqual(blue.sort());
      const fromBlue = ['blue during', 'guessed', 'guessed sent', 'guessed at trunks', 'guessed at trunks sent'];
      expect(await seenBy(host(3))).toEqual([...blue, ...fromBlue].sort());
      // The fifth is in nobody's hands all the time.
      expect(await seenBy(host(4))).toEqual([]);
    });
  });
});

const beforeAdoption = ['hello', 'unadopted', 'unadopted sent'];
const everyTag = Array.from({ length: 4094 }, (_, index) => index + 1);
