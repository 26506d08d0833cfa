import { beforeAll, describe, expect, it } from 'vitest';
import {
  expectBody,
  expectNothingToSay,
  expectRefusal,
  failUnknown,
  patient,
  whileHanging,
} from '../support/http/expect-answers.ts';
import { engines } from '../support/services/engines.ts';
import type { Client } from '../support/http/http-client.ts';
import type { Service } from '../support/services/service.ts';
import { enc, oddLabels, sharedService } from '../support/services/shared-service.ts';
import {
  connect,
  detach,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  reserve,
  settled,
} from '../support/services/world.ts';

describe.each(engines)('networks on %s', (engine) => {
  const shared = sharedService(engine, patient);
  let service: Service;
  let alice: Client;
  let bob: Client;

  beforeAll(async () => {
    service = shared();
    for (const project of ['red', 'blue']) await makeProject(service, project);
    alice = await makeUser(service, 'alice', 'red');
    bob = await makeUser(service, 'bob', 'blue');
  });

  const vlanOf = async (network: string): Promise<string> => {
    const networks = new Map(Object.entries((await done(service.admin.get('/networks'))).body as object));
    return (networks.get(network) as { network_id: string }).network_id;
  };

  describe('network_create', () => {
    it('a project makes a network of its own, with an id from the pool', async () => {
      expectNothingToSay(await alice.put('/network/own', { owner: 'red', access: 'red', net_id: '' }));
      expectBody(await alice.get('/network/own'), {
        name: 'own',
        channels: ['vlan/native', `vlan/${await vlanOf('own')}`],
        owner: 'red',
        access: ['red'],
        'connected-nodes': {},
      });
      expect(Number(await vlanOf('own'))).toBeGreaterThanOrEqual(100);
      expect(Number(await vlanOf('own'))).toBeLessThanOrEqual(1000);
    });

    it.each([
      ['of another project', { owner: 'blue', access: 'blue', net_id: '' }],
      ['of the operator', { owner: 'admin', access: 'red', net_id: '' }],
      ['of the operator alone', { owner: 'admin', access: 'admin', net_id: '' }],
      ['of two projects', { owner: 'red', access: 'blue', net_id: '' }],
      ['owned by another project', { owner: 'blue', access: 'red', net_id: '' }],
      ['that is public', { owner: 'red', access: '', net_id: '' }],
      ['that is public and the operator’s', { owner: 'admin', access: '', net_id: '' }],
      ['with an id of its choice', { owner: 'red', access: 'red', net_id: '1500' }],
    ])('a project cannot make a network %s', async (_which, body) => {
      expectRefusal(await alice.put('/network/not-hers', body), 'AuthorizationError', 'alice');
      expectRefusal(await service.admin.get('/network/not-hers'), 'NotFoundError', 'not-hers');
    });

    it('permission comes before anything that would have to be looked up', async () => {
      await makeNetwork(service, 'there', 'blue');
      expectRefusal(
        await alice.put('/network/there', { owner: 'blue', access: 'blue', net_id: '' }),
        'AuthorizationError',
      );
      expectRefusal(
        await alice.put('/network/x', { owner: 'nowhere', access: 'nowhere', net_id: '' }),
        'AuthorizationError',
      );
      expectRefusal(
        await alice.put('/network/x', { owner: 'red', access: 'red', net_id: '9999' }),
        'AuthorizationError',
      );
      expectRefusal(await service.anonymous.put('/network/x', { nonsense: true }), 'AuthorizationError');
    });

    it.each([
      [{ owner: 'admin', access: '' }, null],
      [{ owner: 'red', access: '' }, null],
      [{ owner: 'admin', access: 'red' }, ['red']],
      [{ owner: 'red', access: 'red' }, ['red']],
      [{ owner: 'red', access: 'blue' }, ['blue', 'red']],
    ])('an administrator makes a network with %j, whose access list is %j', async (body, access) => {
      const label = `${body.owner} for ${body.access === '' ? 'all' : body.access}`;
      expectNothingToSay(await service.admin.put(`/network/${label}`, { ...body, net_id: '' }));
      expectBody(await service.admin.get(`/network/${label}`), {
        name: label,
        channels: ['vlan/native', `vlan/${await vlanOf(label)}`],
        owner: body.owner,
        access,
        'connected-nodes': {},
      });
    });

    it('a label that exists is refused, and its network stays what it is', async () => {
      await makeNetwork(service, 'taken', 'red');
      const before = (await done(alice.get('/network/taken'))).body;
      const again = { owner: 'red', access: 'red', net_id: '' };
      expectRefusal(await alice.put('/network/taken', again), 'DuplicateError', 'taken');
      expectRefusal(
        await service.admin.put('/network/taken', { owner: 'admin', access: '', net_id: '7' }),
        'DuplicateError',
        'taken',
      );
      expectBody(await alice.get('/network/taken'), before);
    });

    it('a network may share its label with a project', async () => {
      await makeNetwork(service, 'red', 'red');
      expectNothingToSay(await alice.del('/network/red'));
    });

    it('an owner and a project given access have to exist', async () => {
      const { admin } = service;
      expectRefusal(
        await admin.put('/network/x', { owner: 'nowhere', access: 'red', net_id: '' }),
        'NotFoundError',
        'nowhere',
      );
      expectRefusal(
        await admin.put('/network/x', { owner: 'red', access: 'nowhere', net_id: '' }),
        'NotFoundError',
        'nowhere',
      );
      expectRefusal(
        await admin.put('/network/x', { owner: 'admin', access: 'admin', net_id: '' }),
        'BadArgumentError',
        '"access"',
        'empty string',
      );
    });

    it.each(['1', '4094', '1234'])('an administrator may choose the id %s', async (net_id) => {
      await done(service.admin.put(`/network/id-${net_id}`, { owner: 'red', access: 'red', net_id }));
      const shown = (await alice.get(`/network/id-${net_id}`)).body as { channels: string[] };
      expect(shown.channels).toEqual(['vlan/native', `vlan/${net_id}`]);
      expect(await vlanOf(`id-${net_id}`)).toBe(net_id);
    });

    it.each(['0', '4095', '-1', '1.5', '1e2', '0x10', 'abc', 'vlan/100'])(
      'the id %j can never be right',
      async (net_id) => {
        expectRefusal(
          await service.admin.put('/network/x', { owner: 'red', access: 'red', net_id }),
          'BadArgumentError',
          '"net_id"',
          '4094',
        );
      },
    );

    it('an id that another network has is refused, inside the pool and outside', async () => {
      const wanting = (net_id: string) =>
        service.admin.put('/network/wants-id', { owner: 'admin', access: '', net_id });
      await done(service.admin.put('/network/outside', { owner: 'admin', access: 'red', net_id: '2000' }));
      expectRefusal(await wanting('2000'), 'BlockedError', '2000', 'outside');
      await makeNetwork(service, 'inside', 'red');
      expectRefusal(await wanting(await vlanOf('inside')), 'BlockedError', await vlanOf('inside'), 'inside');
    });

    it.each([
      ['owner', { access: 'red', net_id: '' }],
      ['access', { owner: 'red', net_id: '' }],
      ['net_id', { owner: 'red', access: 'red' }],
      ['net_id', { owner: 'red', access: 'red', net_id: 7 }],
      ['net_id', { owner: 'red', access: 'red', net_id: null }],
      ['access', { owner: 'red', access: ['red'], net_id: '' }],
      ['owner', { owner: '', access: 'red', net_id: '' }],
      ['colour', { owner: 'red', access: 'red', net_id: '', colour: 'red' }],
      ['network', { owner: 'red', access: 'red', net_id: '', network: 'x' }],
      ['__proto__', JSON.parse('{"owner":"red","access":"red","net_id":"","__proto__":{}}')],
    ])('a malformed body is refused with the name of the field %s', async (field, body: unknown) => {
      expectRefusal(await service.admin.put('/network/x', body), 'ValidationError', `"${field}"`);
    });

    it.each(['a%2Fb', '%20a', 'a%20', 'a%0Ab', 'x'.repeat(256)])('%j is no label', async (label) => {
      expectRefusal(
        await service.admin.put(`/network/${label}`, { owner: 'red', access: 'red', net_id: '' }),
        'ValidationError',
        '"network"',
      );
    });

    it.each(oddLabels)('$what is a label', async ({ label }) => {
      const path = `/network/${enc(label)}`;
      expectNothingToSay(await alice.put(path, { owner: 'red', access: 'red', net_id: '' }));
      expect((await alice.get(path)).body).toMatchObject({ name: label, owner: 'red' });
      expect(Object.keys((await service.admin.get('/networks')).body as object)).toContain(label);
      expect(Number(await vlanOf(label))).toBeGreaterThan(0);
      expectNothingToSay(await alice.del(path));
      expectRefusal(await alice.get(path), 'NotFoundError', label);
    });
  });

  describe('network_delete', () => {
    it('the owner deletes a network, and then it is gone', async () => {
      await makeNetwork(service, 'brief', 'red');
      expectNothingToSay(await alice.del('/network/brief'));
      expectRefusal(await alice.get('/network/brief'), 'NotFoundError', 'brief');
      expectRefusal(await alice.del('/network/brief'), 'NotFoundError', 'brief');
    });

    it('a project that only has access, or none, cannot delete it', async () => {
      await done(service.admin.put('/network/shared', { owner: 'red', access: 'blue', net_id: '' }));
      expectRefusal(await bob.del('/network/shared'), 'AuthorizationError', 'bob');
      await makeNetwork(service, 'private', 'red');
      expectRefusal(await bob.del('/network/private'), 'AuthorizationError', 'bob');
      expectRefusal(await service.anonymous.del('/network/private'), 'AuthorizationError');
      expectRefusal(await service.anonymous.del('/network/missing'), 'AuthorizationError');
      expectNothingToSay(await service.admin.del('/network/private'));
    });

    it('only an administrator deletes the operator’s network', async () => {
      await done(service.admin.put('/network/operated', { owner: 'admin', access: 'red', net_id: '' }));
      expectRefusal(await alice.del('/network/operated'), 'AuthorizationError', 'alice');
      expectNothingToSay(await service.admin.del('/network/operated'));
    });

    it('a network on a node stays, and so does the node, until it is detached', async () => {
      await makeNetwork(service, 'worn', 'red');
      await makeNode(service, 'wearer', ['eth0']);
      await reserve(service, 'red', 'wearer');
      await connect(service, 'wearer', 'eth0', 'worn');
      expectRefusal(await alice.del('/network/worn'), 'BlockedError', 'worn', 'wearer');
      expectRefusal(await alice.post('/project/red/detach_node', { node: 'wearer' }), 'BlockedError', 'wearer', 'worn');
      await detach(service, 'wearer', 'eth0', 'worn');
      expectNothingToSay(await alice.del('/network/worn'));
    });

    it('a network on a headnode stays until it is detached', async () => {
      await makeNetwork(service, 'heads', 'red');
      await done(alice.put('/headnode/head', { project: 'red', base_img: 'base' }));
      await done(alice.put('/headnode/head/hnic/h0'));
      await done(alice.post('/headnode/head/hnic/h0/connect_network', { network: 'heads' }));
      expectRefusal(await alice.del('/network/heads'), 'BlockedError', 'heads', 'head; detach it first');
      await done(alice.post('/headnode/head/hnic/h0/detach_network'));
      expectNothingToSay(await alice.del('/network/heads'));
    });

    it('a network on a headnode that was started stays until that is deleted', async () => {
      await makeNetwork(service, 'kept', 'red');
      await done(alice.put('/headnode/keeper', { project: 'red', base_img: 'base' }));
      await done(alice.put('/headnode/keeper/hnic/h0'));
      await done(alice.post('/headnode/keeper/hnic/h0/connect_network', { network: 'kept' }));
      await done(alice.post('/headnode/keeper/start'));
      await done(alice.post('/headnode/keeper/stop'));
      expectRefusal(await alice.del('/network/kept'), 'BlockedError', 'keeper; delete that headnode first');
      await done(alice.del('/headnode/keeper'));
      expectNothingToSay(await alice.del('/network/kept'));
    });

    it('a network stays while an action on it is pending', async () => {
      await makeNetwork(service, 'queued', 'red');
      await makeNode(service, 'waiter', ['eth0'], 'slow');
      await reserve(service, 'red', 'waiter');
      const queued = await whileHanging(service, 'slow', async () => {
        const answer = await alice.post('/node/waiter/nic/eth0/connect_network', { network: 'queued' });
        expectRefusal(await alice.del('/network/queued'), 'BlockedError', 'queued', 'pending');
        return answer;
      });
      expect((await settled(service, queued)).status).toBe('DONE');
      await detach(service, 'waiter', 'eth0', 'queued');
      expectNothingToSay(await alice.del('/network/queued'));
    });

    it('a network stays while a port may carry it that nobody can read', async () => {
      await makeNetwork(service, 'stuck', 'red');
      await makeNode(service, 'unknown', ['eth0'], 'liar');
      await reserve(service, 'red', 'unknown');
      const device = await failUnknown(service, 'liar', 'unknown/eth0', () =>
        alice.post('/node/unknown/nic/eth0/connect_network', { network: 'stuck' }),
      );
      expectRefusal(await alice.del('/network/stuck'), 'BlockedError', 'stuck', 'a port that was on it');
      expectRefusal(await service.admin.del('/network/stuck'), 'BlockedError', 'stuck', 'unknown/eth0', 'liar');
      device.faults = {};
      await eventually(async () => ((await alice.del('/network/stuck')).status === 200 ? true : undefined));
    });
  });
});
