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

describe.each(engines)('access to networks on %s', (engine) => {
  const shared = sharedService(engine, patient);
  let service: Service;
  let alice: Client;
  let bob: Client;
  let carol: Client;

  beforeAll(async () => {
    service = shared();
    for (const project of ['red', 'blue', 'green']) await makeProject(service, project);
    alice = await makeUser(service, 'alice', 'red');
    bob = await makeUser(service, 'bob', 'blue');
    carol = await makeUser(service, 'carol', 'green');
    await done(service.admin.put('/network/public', { owner: 'red', access: '', net_id: '' }));
  });

  const accessTo = async (network: string): Promise<unknown> =>
    ((await done(service.admin.get(`/network/${network}`))).body as { access: unknown }).access;
  const makeShared = async (network: string, owner: string, access: string): Promise<void> => {
    await done(service.admin.put(`/network/${network}`, { owner, access, net_id: '' }));
  };

  it('the owner and the project see in the events who was let onto a network and taken off it', async () => {
    await makeNetwork(service, 'recorded', 'red');
    await done(alice.put('/network/recorded/access/blue'));
    await done(bob.del('/network/recorded/access/blue'));
    const eventsFor = async (who: Client): Promise<unknown> =>
      ((await done(who.get('/events?network=recorded'))).body as { events: unknown }).events;
    const common = { network: 'recorded', detail: { project: 'blue' } };
    const recorded = [
      { ...common, type: 'network_revoke_project_access', caller: 'bob' },
      { ...common, type: 'network_grant_project_access', caller: 'alice' },
    ];
    expect(await eventsFor(bob)).toMatchObject(recorded);
    expect(await eventsFor(alice)).toMatchObject([...recorded, { type: 'network_create' }]);
    expect(await eventsFor(carol)).toEqual([]);
  });

  describe('network_grant_project_access', () => {
    it('the owner adds a project, and the project sees the network', async () => {
      await makeNetwork(service, 'opened', 'red');
      expectRefusal(await bob.get('/network/opened'), 'AuthorizationError', 'opened');
      expectNothingToSay(await alice.put('/network/opened/access/blue'));
      expect(await accessTo('opened')).toEqual(['blue', 'red']);
      expect((await done(bob.get('/network/opened'))).body).toMatchObject({ name: 'opened', owner: 'red' });
    });

    it('an administrator adds projects to any private network, and the list stays sorted', async () => {
      await makeShared('operated', 'admin', 'red');
      expectNothingToSay(await service.admin.put('/network/operated/access/green'));
      expectNothingToSay(await service.admin.put('/network/operated/access/blue'));
      expect(await accessTo('operated')).toEqual(['blue', 'green', 'red']);
      expect((await service.admin.get('/networks')).body).toMatchObject({
        operated: { projects: ['blue', 'green', 'red'] },
      });
    });

    it('nobody else adds one: not a project with access, not the project itself', async () => {
      await makeShared('guarded', 'red', 'blue');
      expectRefusal(await bob.put('/network/guarded/access/green'), 'AuthorizationError', 'bob', 'guarded');
      expectRefusal(await carol.put('/network/guarded/access/green'), 'AuthorizationError', 'carol', 'guarded');
      await makeShared('guarded by the operator', 'admin', 'red');
      expectRefusal(await alice.put('/network/guarded by the operator/access/blue'), 'AuthorizationError', 'alice');
      expect(await accessTo('guarded')).toEqual(['blue', 'red']);
    });

    it('network and project have to exist', async () => {
      await makeNetwork(service, 'existing', 'red');
      expectRefusal(await alice.put('/network/nowhere/access/blue'), 'NotFoundError', 'nowhere');
      expectRefusal(await alice.put('/network/existing/access/nobody'), 'NotFoundError', 'nobody');
    });

    it('a project that has access already is refused, the owner too', async () => {
      await makeShared('twice', 'red', 'blue');
      expectRefusal(await alice.put('/network/twice/access/blue'), 'DuplicateError', 'blue', 'twice');
      expectRefusal(await service.admin.put('/network/twice/access/red'), 'DuplicateError', 'red', 'twice');
    });

    it('a public network has no list to add to', async () => {
      expectRefusal(await alice.put('/network/public/access/blue'), 'BlockedError', 'public');
      expectRefusal(await service.admin.put('/network/public/access/red'), 'BlockedError', 'public');
      expect(await accessTo('public')).toBeNull();
    });

    it('takes no body', async () => {
      await makeNetwork(service, 'wordless', 'red');
      expectRefusal(
        await alice.put('/network/wordless/access/blue', { project: 'blue' }),
        'ValidationError',
        '"project"',
      );
    });
  });

  describe('network_revoke_project_access', () => {
    it('an administrator, the owner and the project itself remove a project', async () => {
      await makeShared('closing', 'red', 'blue');
      for (const remover of [service.admin, alice, bob]) {
        expectNothingToSay(await remover.del('/network/closing/access/blue'));
        expect(await accessTo('closing')).toEqual(['red']);
        expectRefusal(await bob.get('/network/closing'), 'AuthorizationError', 'closing');
        await done(alice.put('/network/closing/access/blue'));
      }
    });

    it('another project cannot, even one in the list', async () => {
      await makeShared('kept', 'red', 'blue');
      await done(alice.put('/network/kept/access/green'));
      expectRefusal(await carol.del('/network/kept/access/blue'), 'AuthorizationError', 'carol', 'kept');
      await makeShared('kept by the operator', 'admin', 'red');
      expectRefusal(await carol.del('/network/kept by the operator/access/red'), 'AuthorizationError', 'carol');
      expect(await accessTo('kept')).toEqual(['blue', 'green', 'red']);
    });

    it('network and project have to exist, and the project has to be in the list', async () => {
      await makeNetwork(service, 'exact', 'red');
      expectRefusal(await alice.del('/network/nowhere/access/blue'), 'NotFoundError', 'nowhere');
      expectRefusal(await alice.del('/network/exact/access/nobody'), 'NotFoundError', 'nobody');
      expectRefusal(await alice.del('/network/exact/access/blue'), 'NotFoundError', 'blue', 'exact');
    });

    it('the owner always keeps access', async () => {
      await makeShared('owned', 'red', 'blue');
      for (const remover of [service.admin, alice]) {
        expectRefusal(await remover.del('/network/owned/access/red'), 'BlockedError', 'red', 'owned');
      }
      expect(await accessTo('owned')).toEqual(['blue', 'red']);
    });

    it('a public network has no list to remove from', async () => {
      expectRefusal(await alice.del('/network/public/access/blue'), 'BlockedError', 'public');
      expectRefusal(await bob.del('/network/public/access/blue'), 'BlockedError', 'public');
      expectRefusal(await service.admin.del('/network/public/access/red'), 'BlockedError', 'public');
    });

    it('without its last project the operator’s network is nobody’s, never public', async () => {
      await makeShared('deserted', 'admin', 'red');
      expectNothingToSay(await alice.del('/network/deserted/access/red'));
      expectBody(await service.admin.get('/network/deserted'), {
        name: 'deserted',
        channels: [expect.any(String), expect.any(String)],
        owner: 'admin',
        access: [],
        'connected-nodes': {},
      });
      expect((await service.admin.get('/networks')).body).toMatchObject({ deserted: { projects: [] } });
      expect(Object.keys((await alice.get('/networks')).body as object)).not.toContain('deserted');
      expectRefusal(await alice.get('/network/deserted'), 'AuthorizationError', 'deserted');
      expectRefusal(await service.anonymous.get('/network/deserted'), 'AuthorizationError');
      expectNothingToSay(await service.admin.put('/network/deserted/access/blue'));
      expect(await accessTo('deserted')).toEqual(['blue']);
    });

    it('a project with a node on the network, or on its way there, keeps its access', async () => {
      await makeShared('worn', 'red', 'blue');
      await makeNode(service, 'b1', ['eth0'], 'slow');
      await reserve(service, 'blue', 'b1');
      const queued = await whileHanging(service, 'slow', async () => {
        const answer = await bob.post('/node/b1/nic/eth0/connect_network', { network: 'worn' });
        expectRefusal(await alice.del('/network/worn/access/blue'), 'BlockedError', 'b1', 'blue', 'worn');
        return answer;
      });
      expect((await settled(service, queued)).status).toBe('DONE');
      for (const remover of [service.admin, alice, bob]) {
        expectRefusal(await remover.del('/network/worn/access/blue'), 'BlockedError', 'b1', 'blue', 'worn');
      }
      await detach(service, 'b1', 'eth0', 'worn');
      expectNothingToSay(await alice.del('/network/worn/access/blue'));
    });

    it('a project with a headnode on the network keeps its access', async () => {
      await makeShared('headed', 'red', 'blue');
      await done(bob.put('/headnode/head', { project: 'blue', base_img: 'base' }));
      await done(bob.put('/headnode/head/hnic/h0'));
      await done(bob.post('/headnode/head/hnic/h0/connect_network', { network: 'headed' }));
      expectRefusal(await alice.del('/network/headed/access/blue'), 'BlockedError', 'head', 'blue', 'headed');
      await done(bob.post('/headnode/head/hnic/h0/detach_network'));
      expectNothingToSay(await alice.del('/network/headed/access/blue'));
    });

    it('a project keeps its access while a port of its node may carry the network and nobody can read it', async () => {
      await makeShared('stuck', 'red', 'blue');
      await done(alice.put('/network/stuck/access/green'));
      await makeNode(service, 'b3', ['eth0'], 'liar');
      await reserve(service, 'blue', 'b3');
      const device = await failUnknown(service, 'liar', 'b3/eth0', () =>
        bob.post('/node/b3/nic/eth0/connect_network', { network: 'stuck' }),
      );
      expectRefusal(await alice.del('/network/stuck/access/blue'), 'BlockedError', 'stuck', 'a port that was on it');
      const told = await service.admin.del('/network/stuck/access/blue');
      expectRefusal(told, 'BlockedError', 'stuck', 'b3/eth0', 'liar');
      expectNothingToSay(await alice.del('/network/stuck/access/green'));
      device.faults = {};
      await eventually(async () => ((await alice.del('/network/stuck/access/blue')).status === 200 ? true : undefined));
    });

    it('nodes of other projects, and on other networks, do not matter', async () => {
      await makeShared('busy', 'red', 'blue');
      await makeShared('idle', 'red', 'blue');
      await makeNode(service, 'r1', ['eth0']);
      await makeNode(service, 'b2', ['eth0']);
      await reserve(service, 'red', 'r1');
      await reserve(service, 'blue', 'b2');
      await connect(service, 'r1', 'eth0', 'idle');
      await connect(service, 'b2', 'eth0', 'busy');
      expectNothingToSay(await alice.del('/network/idle/access/blue'));
      expect(await accessTo('busy')).toEqual(['blue', 'red']);
    });
  });

  it('callers without credentials are refused before anything is looked up', async () => {
    const { anonymous } = service;
    for (const path of ['/network/public/access/blue', '/network/nowhere/access/nobody']) {
      expectRefusal(await anonymous.put(path), 'AuthorizationError');
      expectRefusal(await anonymous.del(path), 'AuthorizationError');
    }
  });

  it.each(oddLabels)('a project and a network may be called $what', async ({ label }) => {
    await makeProject(service, enc(label));
    await makeNetwork(service, enc(label), 'red');
    expectNothingToSay(await alice.put(`/network/${enc(label)}/access/${enc(label)}`));
    expect(await accessTo(enc(label))).toEqual([label, 'red'].sort());
    expectNothingToSay(await alice.del(`/network/${enc(label)}/access/${enc(label)}`));
    expect(await accessTo(enc(label))).toEqual(['red']);
  });
});
