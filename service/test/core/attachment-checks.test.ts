import { beforeAll, describe, it } from 'vitest';
import { expectBody, expectRefusal, patient, statusIdOf, whileHanging } from '../support/http/expect-answers.ts';
import { engines } from '../support/services/engines.ts';
import type { Client } from '../support/http/http-client.ts';
import { pickySwitches } from '../support/switches/refusing-switches.ts';
import type { Service } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { connect, done, makeNode, makeProject, makeUser, reserve, settled } from '../support/services/world.ts';

/* Each request here is wrong in two ways or more, and must be told the first of them. */
describe.each(engines)('the order of checks of node_connect_network on %s', (engine) => {
  const shared = sharedService(engine, { ...patient, ...pickySwitches });
  let service: Service;
  let alice: Client;
  let bob: Client;

  beforeAll(async () => {
    service = shared();
    for (const project of ['red', 'blue']) await makeProject(service, project);
    alice = await makeUser(service, 'alice', 'red');
    bob = await makeUser(service, 'bob', 'blue');
    for (const [label, project, net_id] of [
      ['one', 'red', '2001'],
      ['two', 'red', '2002'],
      ['foreign', 'blue', '2006'],
    ]) {
      await done(service.admin.put(`/network/${label ?? ''}`, { owner: project, access: project, net_id }));
    }
  });

  const connecting = (client: Client, node: string, network: string, channel?: string) =>
    client.post(`/node/${node}/nic/eth0/connect_network`, { network, channel });
  /** A node of red whose only nic is on no port. */
  const makeUnplugged = async (node: string): Promise<void> => {
    await makeNode(service, node);
    await done(service.admin.put(`/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:03' }));
    await reserve(service, 'red', node);
  };
  const makeOwn = async (node: string, onSwitch = 'sw0'): Promise<void> => {
    await makeNode(service, node, ['eth0'], onSwitch);
    await reserve(service, 'red', node);
  };

  it('a missing node comes before a missing nic, and that before a missing network', async () => {
    await makeNode(service, 'bare');
    expectRefusal(await connecting(bob, 'missing', 'nowhere'), 'NotFoundError', 'node missing');
    expectRefusal(await connecting(bob, 'bare', 'nowhere'), 'NotFoundError', 'nic eth0', 'bare');
    await done(service.admin.put('/node/bare/nic/eth0', { macaddr: '52:54:00:00:00:03' }));
    expectRefusal(await connecting(bob, 'bare', 'nowhere'), 'NotFoundError', 'network nowhere');
  });

  it('a node in no project comes before lack of permission', async () => {
    await makeNode(service, 'free', ['eth0']);
    for (const client of [bob, alice, service.admin]) {
      expectRefusal(await connecting(client, 'free', 'foreign', 'nonsense'), 'ProjectMismatchError', 'free');
    }
  });

  it('a missing network comes before lack of permission, and that before a nic without a port', async () => {
    await makeUnplugged('unplugged-1');
    expectRefusal(await connecting(bob, 'unplugged-1', 'nowhere'), 'NotFoundError', 'network nowhere');
    expectRefusal(await connecting(bob, 'unplugged-1', 'one'), 'AuthorizationError', 'bob', 'access to the project');
  });

  it('a nic without a port comes before lack of access to the network', async () => {
    await makeUnplugged('unplugged-2');
    expectRefusal(await connecting(alice, 'unplugged-2', 'foreign'), 'NotFoundError', 'eth0', 'unplugged-2', 'port');
  });

  it('a pending action comes before lack of access, and after lack of permission', async () => {
    await makeOwn('busy', 'slow');
    const queued = await whileHanging(service, 'slow', async () => {
      const answer = await connecting(alice, 'busy', 'one');
      expectRefusal(await connecting(alice, 'busy', 'foreign'), 'BlockedError', 'pending', 'eth0', statusIdOf(answer));
      expectRefusal(await connecting(alice, 'busy', 'one'), 'BlockedError', 'pending', 'eth0', 'busy');
      expectRefusal(await connecting(bob, 'busy', 'one'), 'AuthorizationError', 'bob', 'access to the project');
      return answer;
    });
    await settled(service, queued);
  });

  it('lack of access comes before a channel in use, and before an illegal one', async () => {
    await makeOwn('taken-1');
    await connect(service, 'taken-1', 'eth0', 'one');
    expectRefusal(await connecting(alice, 'taken-1', 'foreign'), 'ProjectMismatchError', 'red', 'foreign');
    expectRefusal(await connecting(alice, 'taken-1', 'foreign', 'nonsense'), 'ProjectMismatchError', 'red', 'foreign');
  });

  it('a network on the nic comes before a channel in use', async () => {
    await makeOwn('taken-2');
    await connect(service, 'taken-2', 'eth0', 'one');
    expectRefusal(await connecting(alice, 'taken-2', 'one'), 'DuplicateError', 'one', 'eth0');
  });

  it('a channel in use comes before an illegal one', async () => {
    await makeOwn('taken-3');
    await connect(service, 'taken-3', 'eth0', 'one', 'vlan/2001');
    expectRefusal(await connecting(alice, 'taken-3', 'two', 'vlan/2001'), 'BlockedError', 'in use', 'one');
  });

  describe('on a switch whose driver refuses some changes', () => {
    beforeAll(async () => {
      await done(service.admin.put('/switch/picky', { type: 'native_first', hostname: engine }));
    });

    it('an illegal channel comes before what the driver says', async () => {
      await makeOwn('picked-1', 'picky');
      expectRefusal(await connecting(alice, 'picked-1', 'one', 'vlan/2002'), 'BlockedError', 'not legal');
    });

    it('what the driver cannot do is refused in its words, and nothing is queued', async () => {
      await makeOwn('picked-2', 'picky');
      expectRefusal(
        await connecting(alice, 'picked-2', 'one', 'vlan/2001'),
        'BlockedError',
        'this switch needs a native network first',
      );
      await connect(service, 'picked-2', 'eth0', 'two');
      await connect(service, 'picked-2', 'eth0', 'one', 'vlan/2001');
      expectRefusal(
        await alice.post('/node/picked-2/nic/eth0/detach_network', { network: 'two' }),
        'BlockedError',
        'until the tagged ones are gone',
      );
      expectBody(await service.admin.get('/switch/picky/port/picked-2/eth0'), {
        node: 'picked-2',
        nic: 'eth0',
        networks: { 'vlan/native': 'two', 'vlan/2001': 'one' },
      });
    });
  });
});
