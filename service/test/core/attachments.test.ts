import { beforeAll, describe, expect, it } from 'vitest';
import { expectBody, expectRefusal, patient, statusIdOf, whileHanging } from '../support/http/expect-answers.ts';
import { engines } from '../support/services/engines.ts';
import type { Client } from '../support/http/http-client.ts';
import type { Service } from '../support/services/service.ts';
import { enc, oddLabels, sharedService } from '../support/services/shared-service.ts';
import {
  connect,
  detach,
  done,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  reserve,
  settled,
} from '../support/services/world.ts';

describe.each(engines)('networks on nics on %s', (engine) => {
  const shared = sharedService(engine, patient);
  let service: Service;
  let alice: Client;
  let bob: Client;

  beforeAll(async () => {
    service = shared();
    for (const project of ['red', 'blue']) await makeProject(service, project);
    alice = await makeUser(service, 'alice', 'red');
    bob = await makeUser(service, 'bob', 'blue');
    const networks = [
      ['one', 'red', 'red', '2001'],
      ['two', 'red', 'red', '2002'],
      ['three', 'red', 'red', '2003'],
      ['lent', 'blue', 'red', '2004'],
      ['plaza', 'admin', '', '2005'],
      ['foreign', 'blue', 'blue', '2006'],
    ] as const;
    for (const [label, owner, access, net_id] of networks) {
      await done(service.admin.put(`/network/${label}`, { owner, access, net_id }));
    }
  });

  /** A node of red. */
  const makeOwn = async (node: string, nics: readonly string[] = ['eth0'], onSwitch = 'sw0'): Promise<void> => {
    await makeNode(service, node, nics, onSwitch);
    await reserve(service, 'red', node);
  };
  /** What every view says is on a nic; they must agree, and with the switch. */
  const networksOn = async (node: string, nic = 'eth0', onSwitch = 'sw0'): Promise<unknown> => {
    const shown = (await done(alice.get(`/node/${node}`))).body as { nics: { label: string; networks: unknown }[] };
    const networks = shown.nics.find(({ label }) => label === nic)?.networks;
    expectBody(await service.admin.get(`/switch/${onSwitch}/port/${node}/${nic}`), { node, nic, networks });
    return networks;
  };
  const carriedBy = (port: string, onSwitch = 'sw0') => service.simulated(onSwitch).read([port])[0];

  describe('node_connect_network', () => {
    it('is accepted with an id, and once it is done the switch carries the network untagged', async () => {
      await makeOwn('plain');
      const queued = await alice.post('/node/plain/nic/eth0/connect_network', { network: 'one' });
      statusIdOf(queued);
      expect(await settled(service, queued)).toMatchObject({ status: 'DONE', channel: 'vlan/native' });
      expect(await networksOn('plain')).toEqual({ 'vlan/native': 'one' });
      expect(carriedBy('plain/eth0')).toEqual({ port: 'plain/eth0', native: 2001, tagged: [] });
    });

    it('a nic takes one network untagged and others tagged, each on a channel of its own', async () => {
      await makeOwn('trunk');
      await connect(service, 'trunk', 'eth0', 'three', 'vlan/2003');
      await connect(service, 'trunk', 'eth0', 'one', 'vlan/native');
      await connect(service, 'trunk', 'eth0', 'two', 'vlan/2002');
      expect(await networksOn('trunk')).toEqual({ 'vlan/native': 'one', 'vlan/2002': 'two', 'vlan/2003': 'three' });
      expect(carriedBy('trunk/eth0')).toEqual({ port: 'trunk/eth0', native: 2001, tagged: [2002, 2003] });
    });

    it('a network may be on several nics and nodes; nics of one label do not mix', async () => {
      await makeOwn('twin-1', ['eth0', 'eth1']);
      await makeOwn('twin-2');
      await connect(service, 'twin-1', 'eth1', 'one');
      await connect(service, 'twin-2', 'eth0', 'one');
      expect(await networksOn('twin-1', 'eth0')).toEqual({});
      expect(await networksOn('twin-1', 'eth1')).toEqual({ 'vlan/native': 'one' });
      expect(await networksOn('twin-2', 'eth0')).toEqual({ 'vlan/native': 'one' });
    });

    it('the network may be public, or another project’s that gave access', async () => {
      await makeOwn('guest', ['eth0', 'eth1']);
      for (const [nic, network] of [
        ['eth0', 'plaza'],
        ['eth1', 'lent'],
      ]) {
        const queued = await alice.post(`/node/guest/nic/${nic ?? ''}/connect_network`, { network });
        expect((await settled(service, queued)).status).toBe('DONE');
      }
    });

    it('a network that the node’s project has no access to is refused, to administrators as well', async () => {
      await makeOwn('fenced');
      for (const client of [alice, service.admin]) {
        expectRefusal(
          await client.post('/node/fenced/nic/eth0/connect_network', { network: 'foreign' }),
          'ProjectMismatchError',
          'red',
          'foreign',
        );
      }
    });

    it('access that was revoked counts no more', async () => {
      await done(service.admin.put('/network/once', { owner: 'blue', access: 'red', net_id: '' }));
      await done(bob.del('/network/once/access/red'));
      await makeOwn('late');
      expectRefusal(
        await alice.post('/node/late/nic/eth0/connect_network', { network: 'once' }),
        'ProjectMismatchError',
        'once',
      );
    });

    it('a network that is on the nic is refused, on another channel too', async () => {
      await makeOwn('full');
      await connect(service, 'full', 'eth0', 'one');
      for (const channel of [undefined, 'vlan/native', 'vlan/2001', 'vlan/2002']) {
        const again = await alice.post('/node/full/nic/eth0/connect_network', { network: 'one', channel });
        expectRefusal(again, 'DuplicateError', 'one', 'eth0');
      }
    });

    it('a channel that another network has on the nic is refused', async () => {
      await makeOwn('crowded');
      await connect(service, 'crowded', 'eth0', 'one');
      expectRefusal(
        await alice.post('/node/crowded/nic/eth0/connect_network', { network: 'two' }),
        'BlockedError',
        'vlan/native',
        'eth0',
        'one',
      );
    });

    it('a channel that is not one of the network’s is refused, and the legal ones are named', async () => {
      await makeOwn('choosy');
      for (const channel of ['vlan/2002', 'vlan/*', 'vlan/', 'vlan/02001', 'VLAN/native', 'native', '2001', '']) {
        expectRefusal(
          await alice.post('/node/choosy/nic/eth0/connect_network', { network: 'one', channel }),
          'BlockedError',
          `channel ${channel} `,
          'one',
          'vlan/native',
          'vlan/2001',
        );
      }
    });

    it.each([
      ['network', {}],
      ['network', { network: null }],
      ['network', { network: '' }],
      ['channel', { network: 'one', channel: 7 }],
      ['channel', { network: 'one', channel: null }],
      ['colour', { network: 'one', colour: 'red' }],
      ['nic', { network: 'one', nic: 'eth0' }],
    ])('a malformed body is refused with the name of the field %s: %j', async (field, body) => {
      expectRefusal(await alice.post('/node/plain/nic/eth0/connect_network', body), 'ValidationError', `"${field}"`);
    });
  });

  describe('node_detach_network', () => {
    it('is accepted with an id, and once it is done the switch carries only the others', async () => {
      await makeOwn('leaver');
      await connect(service, 'leaver', 'eth0', 'one');
      await connect(service, 'leaver', 'eth0', 'two', 'vlan/2002');
      const queued = await alice.post('/node/leaver/nic/eth0/detach_network', { network: 'one' });
      statusIdOf(queued);
      expect((await settled(service, queued)).status).toBe('DONE');
      expect(await networksOn('leaver')).toEqual({ 'vlan/2002': 'two' });
      expect(carriedBy('leaver/eth0')).toEqual({ port: 'leaver/eth0', native: null, tagged: [2002] });
      await detach(service, 'leaver', 'eth0', 'two');
      expect(await networksOn('leaver')).toEqual({});
      expect(carriedBy('leaver/eth0')).toEqual({ port: 'leaver/eth0', native: null, tagged: [] });
    });

    it('a network that is not on the nic is refused', async () => {
      await makeOwn('never', ['eth0', 'eth1']);
      await connect(service, 'never', 'eth1', 'one');
      expectRefusal(
        await alice.post('/node/never/nic/eth0/detach_network', { network: 'one' }),
        'BlockedError',
        'one',
        'eth0',
        'never',
      );
    });

    it('node, nic and network have to exist, in this order', async () => {
      await makeOwn('asked');
      const post = (path: string) => alice.post(`/node/${path}/detach_network`, { network: 'nowhere' });
      expectRefusal(await post('missing/nic/eth9'), 'NotFoundError', 'node missing');
      expectRefusal(await post('asked/nic/eth9'), 'NotFoundError', 'nic eth9', 'asked');
      expectRefusal(await post('asked/nic/eth0'), 'NotFoundError', 'network nowhere');
    });

    it('a node in no project is refused as such, another project’s for lack of permission', async () => {
      await makeNode(service, 'free', ['eth0']);
      await makeOwn('theirs');
      await connect(service, 'theirs', 'eth0', 'one');
      const body = { network: 'one' };
      for (const client of [bob, service.admin]) {
        expectRefusal(await client.post('/node/free/nic/eth0/detach_network', body), 'ProjectMismatchError', 'free');
      }
      expectRefusal(
        await bob.post('/node/theirs/nic/eth0/detach_network', body),
        'AuthorizationError',
        'bob',
        'access to the project',
      );
      expect(await networksOn('theirs')).toEqual({ 'vlan/native': 'one' });
    });

    it('is refused while an action is pending on the nic', async () => {
      await makeOwn('waiting', ['eth0'], 'slow');
      await connect(service, 'waiting', 'eth0', 'one');
      await whileHanging(service, 'slow', async () => {
        const first = statusIdOf(await alice.post('/node/waiting/nic/eth0/detach_network', { network: 'one' }));
        const second = await alice.post('/node/waiting/nic/eth0/detach_network', { network: 'one' });
        expectRefusal(second, 'BlockedError', 'eth0', 'waiting', first);
      });
    });

    it('takes a network and nothing else', async () => {
      const detachBody = (body: object) => alice.post('/node/plain/nic/eth0/detach_network', body);
      expectRefusal(await detachBody({}), 'ValidationError', '"network"');
      expectRefusal(await detachBody({ network: 'one', channel: 'vlan/native' }), 'ValidationError', '"channel"');
    });
  });

  it('a detached network can be connected again, on another channel', async () => {
    await makeOwn('again');
    await connect(service, 'again', 'eth0', 'one');
    await detach(service, 'again', 'eth0', 'one');
    await connect(service, 'again', 'eth0', 'one', 'vlan/2001');
    expect(carriedBy('again/eth0')).toEqual({ port: 'again/eth0', native: null, tagged: [2001] });
  });

  it('callers without credentials are refused before anything is looked up or validated', async () => {
    for (const path of ['/node/plain/nic/eth0', '/node/missing/nic/eth0']) {
      expectRefusal(await service.anonymous.post(`${path}/connect_network`, { nonsense: 1 }), 'AuthorizationError');
      expectRefusal(await service.anonymous.post(`${path}/detach_network`, { nonsense: 1 }), 'AuthorizationError');
    }
  });

  it.each(oddLabels)('node, nic and network may be called $what', async ({ label }) => {
    await makeNetwork(service, enc(label), 'red');
    await done(service.admin.put(`/node/${enc(label)}`, { obmd: { uri: 'http://127.0.0.1:9/n', admin_token: 't' } }));
    await done(service.admin.put(`/node/${enc(label)}/nic/${enc(label)}`, { macaddr: '52:54:00:00:00:02' }));
    const port = `/switch/sw0/port/${enc(label)}`;
    await done(service.admin.put(port));
    await done(service.admin.post(`${port}/connect_nic`, { node: label, nic: label }));
    await done(alice.post('/project/red/connect_node', { node: label }));
    const path = `/node/${enc(label)}/nic/${enc(label)}`;
    await settled(service, await alice.post(`${path}/connect_network`, { network: label }));
    expectBody(await service.admin.get(port), { node: label, nic: label, networks: { 'vlan/native': label } });
    await settled(service, await alice.post(`${path}/detach_network`, { network: label }));
    expectBody(await service.admin.get(port), { node: label, nic: label, networks: {} });
  });
});
