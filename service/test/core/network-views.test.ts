import { beforeAll, describe, expect, it } from 'vitest';
import { expectBody, expectRefusal } from '../support/http/expect-answers.ts';
import { engines } from '../support/services/engines.ts';
import type { Client } from '../support/http/http-client.ts';
import type { Service } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { connect, done, makeNetwork, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

/*
 * The world: red owns `mixed`, to which blue has access too, and both have nodes on it and on the public
 * network `plaza`; the operator owns `plaza` and `vault`, which only red may use.
 */
describe.each(engines)('what callers see of networks on %s', (engine) => {
  const shared = sharedService(engine);
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
    await done(service.admin.put('/network/mixed', { owner: 'red', access: 'blue', net_id: '2001' }));
    await done(service.admin.put('/network/plaza', { owner: 'admin', access: '', net_id: '2002' }));
    await done(service.admin.put('/network/vault', { owner: 'admin', access: 'red', net_id: '2003' }));
    await makeNode(service, 'r2', ['eth1', 'eth0']);
    await makeNode(service, 'r1', ['eth0']);
    await makeNode(service, 'b1', ['eth0', 'eth1']);
    for (const node of ['r1', 'r2']) await reserve(service, 'red', node);
    await reserve(service, 'blue', 'b1');
    await connect(service, 'r2', 'eth1', 'mixed');
    await connect(service, 'r2', 'eth0', 'mixed', 'vlan/2001');
    await connect(service, 'r1', 'eth0', 'mixed');
    await connect(service, 'b1', 'eth0', 'mixed');
    await connect(service, 'b1', 'eth1', 'plaza');
    await connect(service, 'r2', 'eth0', 'plaza');
  });

  const mixed = (connected: Record<string, string[]>) => ({
    name: 'mixed',
    channels: ['vlan/native', 'vlan/2001'],
    owner: 'red',
    access: ['blue', 'red'],
    'connected-nodes': connected,
  });
  const plaza = (connected: Record<string, string[]>) => ({
    name: 'plaza',
    channels: ['vlan/native', 'vlan/2002'],
    owner: 'admin',
    access: null,
    'connected-nodes': connected,
  });

  describe('show_network', () => {
    it('the owner and administrators see every connected node, its nics sorted', async () => {
      const everything = mixed({ b1: ['eth0'], r1: ['eth0'], r2: ['eth0', 'eth1'] });
      expectBody(await alice.get('/network/mixed'), everything);
      expectBody(await service.admin.get('/network/mixed'), everything);
    });

    it('a project with access sees only its own nodes', async () => {
      expectBody(await bob.get('/network/mixed'), mixed({ b1: ['eth0'] }));
    });

    it('everyone sees a public network, and on it only the nodes they have access to', async () => {
      expectBody(await service.anonymous.get('/network/plaza'), plaza({}));
      expectBody(await carol.get('/network/plaza'), plaza({}));
      expectBody(await alice.get('/network/plaza'), plaza({ r2: ['eth0'] }));
      expectBody(await bob.get('/network/plaza'), plaza({ b1: ['eth1'] }));
      expectBody(await service.admin.get('/network/plaza'), plaza({ b1: ['eth1'], r2: ['eth0'] }));
    });

    it('a project in the access list of the operator’s network sees it', async () => {
      expectBody(await alice.get('/network/vault'), {
        name: 'vault',
        channels: ['vlan/native', 'vlan/2003'],
        owner: 'admin',
        access: ['red'],
        'connected-nodes': {},
      });
    });

    it('a private network is refused to everyone else, a missing one is missing', async () => {
      expectRefusal(await carol.get('/network/mixed'), 'AuthorizationError', 'mixed');
      expectRefusal(await bob.get('/network/vault'), 'AuthorizationError', 'vault');
      expectRefusal(await carol.get('/network/nowhere'), 'NotFoundError', 'nowhere');
    });

    it('without credentials a private network and a missing one answer alike', async () => {
      const existing = await service.anonymous.get('/network/mixed');
      const missing = await service.anonymous.get('/network/nowhere');
      expectRefusal(existing, 'AuthorizationError', 'credentials');
      expect(missing.text).toBe(existing.text);
      expect(missing.status).toBe(existing.status);
      expect(missing.headers.get('www-authenticate')).toBe(existing.headers.get('www-authenticate'));
    });

    it('sorts nics as every other list, whatever the database’s order of letters', async () => {
      const nics = ['\u{1F40E}', '\uFF21', 'a', 'B', 'ä'];
      await done(service.admin.put('/network/letters', { owner: 'green', access: 'green', net_id: '2005' }));
      await makeNode(service, 'lettered', nics);
      await reserve(service, 'green', 'lettered');
      for (const nic of nics) await connect(service, 'lettered', nic, 'letters');
      expect((await carol.get('/network/letters')).body).toMatchObject({
        'connected-nodes': { lettered: ['B', 'a', 'ä', '\u{1F40E}', '\uFF21'] },
      });
      expect((await carol.get('/network/letters/attachments')).body).toMatchObject({
        lettered: { nic: 'B', attachments: ['B', 'a', 'ä', '\u{1F40E}', '\uFF21'].map((nic) => ({ nic })) },
      });
    });

    it('shows nodes and nics whose labels mean something to JavaScript', async () => {
      await done(service.admin.put('/network/odd', { owner: 'green', access: 'green', net_id: '2004' }));
      await makeNode(service, '__proto__', ['__proto__', 'constructor']);
      await makeNode(service, 'ünï node', ['a b']);
      for (const node of ['__proto__', 'ünï node']) await reserve(service, 'green', node);
      for (const nic of ['constructor', '__proto__']) await connect(service, '__proto__', nic, 'odd');
      await connect(service, 'ünï node', 'a b', 'odd');
      const { 'connected-nodes': connected } = (await carol.get('/network/odd')).body as Record<string, object>;
      expect(Object.entries(connected ?? {})).toEqual([
        ['__proto__', ['__proto__', 'constructor']],
        ['ünï node', ['a b']],
      ]);
    });
  });

  describe('list_networks', () => {
    it('an administrator sees all networks with their ids and projects', async () => {
      const { body } = await done(service.admin.get('/networks'));
      expect(body).toMatchObject({
        mixed: { network_id: '2001', projects: ['blue', 'red'] },
        plaza: { network_id: '2002', projects: null },
        vault: { network_id: '2003', projects: ['red'] },
      });
      expect(Object.keys((body as { mixed: object }).mixed).sort()).toEqual(['network_id', 'projects']);
    });

    it('everyone else sees the public ones only, members and callers without credentials alike', async () => {
      const published = { plaza: { network_id: '2002', projects: null } };
      expectBody(await alice.get('/networks'), published);
      expectBody(await carol.get('/networks'), published);
      expectBody(await service.anonymous.get('/networks'), published);
    });

    it('an unknown query parameter is refused by name', async () => {
      expectRefusal(await service.admin.get('/networks?colour=red'), 'ValidationError', '"colour"');
    });
  });

  describe('list_network_attachments', () => {
    const attachment = (project: string, ...attachments: readonly { nic: string; channel: string }[]) => ({
      ...attachments[0],
      project,
      attachments,
    });
    const r1 = attachment('red', { nic: 'eth0', channel: 'vlan/native' });
    const r2 = attachment('red', { nic: 'eth0', channel: 'vlan/2001' }, { nic: 'eth1', channel: 'vlan/native' });
    const b1 = attachment('blue', { nic: 'eth0', channel: 'vlan/native' });

    it('the owner and administrators see all; a node with several nics shows its first and lists them all', async () => {
      expectBody(await alice.get('/network/mixed/attachments'), { b1, r1, r2 });
      expectBody(await service.admin.get('/network/mixed/attachments'), { b1, r1, r2 });
    });

    it('other projects see only their own nodes', async () => {
      expectBody(await bob.get('/network/mixed/attachments'), { b1 });
      const plazaOf = async (client: Client) =>
        Object.keys((await done(client.get('/network/plaza/attachments'))).body as object);
      expect(await plazaOf(alice)).toEqual(['r2']);
      expect(await plazaOf(carol)).toEqual([]);
      expect(await plazaOf(service.admin)).toEqual(['b1', 'r2']);
    });

    it('the list can be limited to the nodes of one project', async () => {
      expectBody(await alice.get('/network/mixed/attachments?project=blue'), { b1 });
      expectBody(await alice.get('/network/mixed/attachments?project=red'), { r1, r2 });
      expectBody(await service.admin.get('/network/mixed/attachments?project=green'), {});
      expectBody(await bob.get('/network/mixed/attachments?project=blue'), { b1 });
    });

    it('limiting it to a project that the caller has no access to is refused, unless they own the network', async () => {
      expectRefusal(await bob.get('/network/mixed/attachments?project=red'), 'AuthorizationError', 'red');
      expectRefusal(await carol.get('/network/plaza/attachments?project=red'), 'AuthorizationError', 'red');
      expectRefusal(await bob.get('/network/mixed/attachments?project=nowhere'), 'AuthorizationError', 'nowhere');
      expectRefusal(await alice.get('/network/mixed/attachments?project=nowhere'), 'NotFoundError', 'nowhere');
    });

    it('a caller without access to a private network is refused', async () => {
      expectRefusal(await carol.get('/network/mixed/attachments'), 'AuthorizationError', 'mixed');
      expectRefusal(await carol.get('/network/mixed/attachments?project=green'), 'AuthorizationError', 'mixed');
      expectRefusal(await bob.get('/network/vault/attachments'), 'AuthorizationError', 'vault');
      expectRefusal(await carol.get('/network/nowhere/attachments'), 'NotFoundError', 'nowhere');
    });

    it('it needs credentials, on a public network too', async () => {
      for (const network of ['plaza', 'mixed', 'nowhere']) {
        expectRefusal(await service.anonymous.get(`/network/${network}/attachments`), 'AuthorizationError');
      }
    });

    it.each(['colour=red', 'project=red&project=blue', 'project=', 'project=a%2Fb'])(
      'the query ?%s is refused by name',
      async (query) => {
        const [name] = query.split('=');
        expectRefusal(await alice.get(`/network/mixed/attachments?${query}`), 'ValidationError', `"${name ?? ''}"`);
      },
    );

    it('nodes and nics may be called anything', async () => {
      await makeNetwork(service, 'strange', 'green');
      await makeNode(service, 'constructor', ['__proto__']);
      await makeNode(service, '__proto__ too', ['a b']);
      for (const node of ['constructor', '__proto__ too']) await reserve(service, 'green', node);
      await connect(service, 'constructor', '__proto__', 'strange');
      await connect(service, '__proto__ too', 'a b', 'strange');
      expectBody(await carol.get('/network/strange/attachments'), {
        constructor: attachment('green', { nic: '__proto__', channel: 'vlan/native' }),
        '__proto__ too': attachment('green', { nic: 'a b', channel: 'vlan/native' }),
      });
    });
  });
});
