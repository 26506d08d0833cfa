import { startLabObmd } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { enc, message, oddLabels, refusal, sharedService } from '../support/services/shared-service.ts';
import {
  connect,
  done,
  makeNetwork,
  makeNode,
  makeProject,
  makeSwitch,
  makeUser,
  obmd,
  reserve,
} from '../support/services/world.ts';

describe.each(engines)('nodes on %s', (engine) => {
  const service = sharedService(engine);

  describe('node_register', () => {
    it('makes a free node without nics, and says nothing', async () => {
      const { admin, anonymous } = service();
      const answer = await admin.put('/node/plain', { obmd });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect((await anonymous.get('/node/plain')).body).toEqual({
        name: 'plain',
        project: null,
        nics: [],
        metadata: {},
      });
      expect((await anonymous.get('/nodes/free')).body).toContain('plain');
    });

    it('takes metadata', async () => {
      const { admin } = service();
      const metadata = { rack: '7', cpus: 64, tags: ['fast', null], deep: { a: [{}] }, off: false, none: null };
      await done(admin.put('/node/with-metadata', { obmd, metadata }));
      expect((await admin.get('/node/with-metadata')).body).toMatchObject({ metadata });
    });

    it('refuses a second node of the same label', async () => {
      const { admin } = service();
      await done(admin.put('/node/twin', { obmd }));
      const answer = admin.put('/node/twin', { obmd });
      expect(await refusal(answer)).toBe('409 DuplicateError');
      expect(await message(answer)).toContain('node twin');
    });

    it('of many at once with one label makes one', async () => {
      const { admin } = service();
      const answers = await Promise.all(Array.from({ length: 8 }, () => admin.put('/node/contended', { obmd })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    });

    it('lets a node and a project share a label', async () => {
      await makeProject(service(), 'shared-label');
      await done(service().admin.put('/node/shared-label', { obmd }));
    });

    it.each<[string, unknown, string]>([
      ['without obmd', {}, 'obmd'],
      ['with obmd that is no object', { obmd: 'http://127.0.0.1:9/node/n' }, 'obmd'],
      ['without uri', { obmd: { admin_token: 'x' } }, 'obmd.uri'],
      ['without admin_token', { obmd: { uri: obmd.uri } }, 'obmd.admin_token'],
      ['with a uri that is a number', { obmd: { ...obmd, uri: 7 } }, 'obmd.uri'],
      ['with an admin_token that is a number', { obmd: { ...obmd, admin_token: 7 } }, 'obmd.admin_token'],
      ['with something more in obmd', { obmd: { ...obmd, extra: 1 } }, 'obmd.extra'],
      ['with metadata that is no object', { obmd, metadata: ['a'] }, 'metadata'],
    ])('%s is malformed, and the message names the field', async (_what, body, field) => {
      const answer = service().admin.put('/node/malformed', body);
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(new RegExp(`"${field}".*expected|"${field}".*expected one of`));
      expect(await refusal(service().admin.get('/node/malformed'))).toBe('404 NotFoundError');
    });

    it.each([
      'ftp://obmd/node/n',
      'http://user@obmd/node/n',
      'http://:password@obmd/node/n',
      'http://obmd/node/n?token=x',
      'http://obmd/node/n#top',
      'obmd/node/n',
      '',
      'http://',
      'http://obmd/\u0000',
      ' http://obmd/n',
      'http://obmd/\ud800',
    ])('refuses the daemon address %j', async (uri) => {
      const answer = service().admin.put('/node/bad-uri', { obmd: { ...obmd, uri } });
      expect((await answer).status).toBe(400);
      expect(await message(answer)).toMatch(/"obmd.uri".*http or https/);
    });

    it('takes an https address, and every node may have a daemon of its own', async () => {
      const { admin } = service();
      await done(admin.put('/node/tls', { obmd: { ...obmd, uri: 'https://obmd.example/node/1' } }));
      await done(admin.put('/node/tls2', { obmd: { ...obmd, uri: 'https://other.example/node/1' } }));
    });

    it('does not contact the daemon', async () => {
      const daemon = await startLabObmd({ adminToken: 'secret' });
      onTestFinished(() => daemon.close());
      await done(service().admin.put('/node/quiet', { obmd: { uri: daemon.uri('quiet'), admin_token: 'secret' } }));
      expect(daemon.calls).toEqual([]);
    });

    it('never shows the secrets of OBM again', async () => {
      const { admin, log } = service();
      const secret = 'a token nobody may read';
      await done(admin.put('/node/secretive', { obmd: { ...obmd, admin_token: secret } }));
      const answers = [await admin.get('/node/secretive'), await admin.get('/events?node=secretive')];
      expect(answers.map(({ text }) => text).join() + log.join()).not.toContain(secret);
    });
  });

  describe('node_delete', () => {
    it('makes the node unknown', async () => {
      const { admin } = service();
      await makeNode(service(), 'goner');
      const answer = await admin.del('/node/goner');
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(await refusal(admin.get('/node/goner'))).toBe('404 NotFoundError');
      expect((await admin.get('/nodes/all')).body).not.toContain('goner');
      expect(await refusal(admin.del('/node/goner'))).toBe('404 NotFoundError');
    });

    it('refuses a node in a project', async () => {
      await makeProject(service(), 'holder');
      await makeNode(service(), 'held');
      await reserve(service(), 'holder', 'held');
      expect(await refusal(service().admin.del('/node/held'))).toBe('409 BlockedError');
    });

    it('refuses a node with nics', async () => {
      const { admin } = service();
      await makeNode(service(), 'nicked');
      await done(admin.put('/node/nicked/nic/eth0', { macaddr: 'aa' }));
      const answer = admin.del('/node/nicked');
      expect(await refusal(answer)).toBe('409 BlockedError');
      expect(await message(answer)).toContain('nic eth0');
      await done(admin.del('/node/nicked/nic/eth0'));
      await done(admin.del('/node/nicked'));
    });

    it('refuses a node whose OBM is enabled', async () => {
      const { admin } = service();
      const daemon = await startLabObmd({ adminToken: 'secret' });
      onTestFinished(() => daemon.close());
      daemon.add('managed');
      await done(admin.put('/node/managed', { obmd: { uri: daemon.uri('managed'), admin_token: 'secret' } }));
      await done(admin.put('/node/managed/obm', { enabled: true }));
      expect(await refusal(admin.del('/node/managed'))).toBe('409 BlockedError');
      await done(admin.put('/node/managed/obm', { enabled: false }));
      await done(admin.del('/node/managed'));
    });
  });

  it('nodes come and go by administrators, who are asked for before anything is looked up or checked', async () => {
    await makeNode(service(), 'guarded');
    const user = await makeUser(service(), 'no-admin');
    for (const client of [user, service().anonymous]) {
      for (const node of ['guarded', 'unguarded']) {
        expect(await refusal(client.put(`/node/${node}`, { wrong: 1 }))).toBe('401 AuthorizationError');
        expect(await refusal(client.del(`/node/${node}`))).toBe('401 AuthorizationError');
      }
    }
  });

  describe('list_nodes', () => {
    it('lists all nodes, or the free ones, sorted, to anyone', async () => {
      const { anonymous } = service();
      await makeProject(service(), 'lister');
      for (const node of ['list-c', 'list-a', 'list-b']) await makeNode(service(), node);
      await reserve(service(), 'lister', 'list-b');
      const listed = async (which: string) =>
        ((await done(anonymous.get(`/nodes/${which}`))).body as string[]).filter((node) => node.startsWith('list-'));
      expect(await listed('all')).toEqual(['list-a', 'list-b', 'list-c']);
      expect(await listed('free')).toEqual(['list-a', 'list-c']);
      await done(service().admin.post('/project/lister/detach_node', { node: 'list-b' }));
      expect(await listed('free')).toEqual(['list-a', 'list-b', 'list-c']);
    });

    it('knows no other word than all and free', async () => {
      const answer = service().anonymous.get('/nodes/some');
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(/"is_free".*"all" or "free"/);
    });
  });

  describe('show_node', () => {
    it('shows nics in the order of their labels, with ports and switches to administrators only', async () => {
      const { admin, anonymous } = service();
      await makeNode(service(), 'shown', ['eth1', 'eth0'], 'sw-shown');
      await done(admin.put('/node/shown/nic/bare', { macaddr: '52:54:00:00:00:02' }));
      const plain = [
        { label: 'bare', macaddr: '52:54:00:00:00:02', networks: {} },
        { label: 'eth0', macaddr: '52:54:00:00:00:01', networks: {} },
        { label: 'eth1', macaddr: '52:54:00:00:00:01', networks: {} },
      ];
      expect((await anonymous.get('/node/shown')).body).toEqual({
        name: 'shown',
        project: null,
        nics: plain,
        metadata: {},
      });
      const places = [
        { port: null, switch: null },
        { port: 'shown/eth0', switch: 'sw-shown' },
        { port: 'shown/eth1', switch: 'sw-shown' },
      ];
      expect((await admin.get('/node/shown')).body).toMatchObject({
        nics: plain.map((nic, index) => ({ ...nic, ...places[index] })),
      });
    });

    it('shows the networks of a nic by channel to the project of the node', async () => {
      await makeProject(service(), 'viewers');
      const member = await makeUser(service(), 'viewer', 'viewers');
      await makeNode(service(), 'wired', ['eth0']);
      await reserve(service(), 'viewers', 'wired');
      await makeNetwork(service(), 'view-net', 'viewers');
      await connect(service(), 'wired', 'eth0', 'view-net');
      expect((await member.get('/node/wired')).body).toEqual({
        name: 'wired',
        project: 'viewers',
        nics: [{ label: 'eth0', macaddr: '52:54:00:00:00:01', networks: { 'vlan/native': 'view-net' } }],
        metadata: {},
      });
    });

    it('shows a node in a project to nobody else', async () => {
      const { anonymous, admin } = service();
      await makeProject(service(), 'private');
      await makeNode(service(), 'hidden');
      const stranger = await makeUser(service(), 'node-stranger');
      expect((await stranger.get('/node/hidden')).status).toBe(200);
      await reserve(service(), 'private', 'hidden');
      expect(await refusal(anonymous.get('/node/hidden'))).toBe('401 AuthorizationError');
      expect(await refusal(stranger.get('/node/hidden'))).toBe('401 AuthorizationError');
      expect((await admin.get('/node/hidden')).body).toMatchObject({ project: 'private' });
    });

    it('answers 404 for a missing node, to callers without credentials too', async () => {
      expect(await refusal(service().anonymous.get('/node/missing'))).toBe('404 NotFoundError');
      expect(await message(service().anonymous.get('/node/missing'))).toContain('node missing');
    });
  });

  it.each(oddLabels)('a node, its nic, its metadata and its network may be called $what', async ({ label }) => {
    const { admin } = service();
    const path = enc(label);
    await makeProject(service(), path);
    await done(admin.put(`/node/${path}`, { obmd, metadata: JSON.parse(`{${JSON.stringify(label)}: 1}`) as unknown }));
    await makeSwitch(service(), 'sw-odd');
    await done(admin.put(`/switch/sw-odd/port/${path}`));
    await done(admin.put(`/node/${path}/nic/${path}`, { macaddr: label }));
    await done(admin.post(`/switch/sw-odd/port/${path}/connect_nic`, { node: label, nic: label }));
    await done(admin.post(`/project/${path}/connect_node`, { node: label }));
    await done(admin.put(`/network/${path}`, { owner: label, access: label, net_id: '' }));
    await connect(service(), path, path, label);
    expect((await admin.get('/nodes/all')).body).toContain(label);
    const { text } = await admin.get(`/node/${path}`);
    expect(JSON.parse(text)).toEqual({
      name: label,
      project: label,
      nics: [{ label, macaddr: label, networks: { 'vlan/native': label }, port: label, switch: 'sw-odd' }],
      metadata: JSON.parse(`{${JSON.stringify(label)}: 1}`) as unknown,
    });
    expect(text).toContain(`"metadata":{${JSON.stringify(label)}:1}`);
    const shown = await admin.get(`/network/${path}`);
    expect(shown.text).toContain(`"connected-nodes":{${JSON.stringify(label)}:[${JSON.stringify(label)}]}`);
    expect((await admin.get('/networks')).text).toContain(`${JSON.stringify(label)}:{"network_id"`);
    expect((await admin.get(`/network/${path}/attachments`)).text).toContain(`{${JSON.stringify(label)}:{`);
  });
});
