import { beforeAll, describe, expect, it } from 'vitest';
import { expectBody, expectNothingToSay, expectRefusal } from '../support/http/expect-answers.ts';
import { engines } from '../support/services/engines.ts';
import type { Client } from '../support/http/http-client.ts';
import { pickySwitches } from '../support/switches/refusing-switches.ts';
import type { Service } from '../support/services/service.ts';
import { enc, oddLabels, sharedService } from '../support/services/shared-service.ts';
import { done, makeProject, makeSwitch, makeUser } from '../support/services/world.ts';

const longForm = (name: string): string => `http://schema.massopencloud.org/haas/v0/switches/${name}`;
/** The drivers that existing clients know. */
const legacyDrivers = ['mock', 'ovs', 'powerconnect55xx', 'delln3000', 'nexus', 'brocade', 'dellnos9'];

describe.each(engines)('switches on %s', (engine) => {
  const shared = sharedService(engine, pickySwitches);
  let service: Service;
  let admin: Client;
  let alice: Client;

  beforeAll(async () => {
    service = shared();
    ({ admin } = service);
    await makeProject(service, 'red');
    alice = await makeUser(service, 'alice', 'red');
  });

  const mock = { type: 'mock', hostname: 'sw.example', username: 'operator', password: 'very secret' };

  describe('switch_register', () => {
    it('makes a switch without ports, and says nothing', async () => {
      expectNothingToSay(await admin.put('/switch/fresh', mock));
      expectBody(await admin.get('/switch/fresh'), {
        name: 'fresh',
        ports: [],
        type: 'mock',
        capabilities: ['nativeless-trunk-mode'],
        fields: { hostname: mock.hostname, username: mock.username },
        secrets: ['password'],
      });
    });

    it('takes the long form of the type that existing clients send', async () => {
      expectNothingToSay(await admin.put('/switch/legacy', { ...mock, type: longForm('mock') }));
      expect((await admin.get('/switch/legacy')).body).toMatchObject({ name: 'legacy', type: 'mock' });
    });

    it('knows by both forms every configured driver that existing clients know', async () => {
      const active = (await done(admin.get('/active_extensions'))).body as string[];
      const configured = legacyDrivers.filter((name) => active.includes(`corral.ext.switches.${name}`));
      expect(configured).toContain('mock');
      for (const type of configured.flatMap((name) => [name, longForm(name)])) {
        const answer = await admin.put('/switch/unfinished', { type, colour: 'red' });
        expectRefusal(answer, 'ValidationError', 'missing', '"colour"');
      }
    });

    it.each(['cisco', 'Mock', '__proto__', 'constructor', longForm('cisco'), longForm(''), longForm(longForm('mock'))])(
      'type %j is unknown, and those that are known are named',
      async (type) => {
        expectRefusal(await admin.put('/switch/x', { ...mock, type }), 'BadArgumentError', '"type"', type, 'mock');
      },
    );

    it.each([
      ['type', { hostname: 'h', username: 'u', password: 'p' }],
      ['type', { ...mock, type: 7 }],
      ['hostname', { type: 'mock', username: 'u', password: 'p' }],
      ['username', { type: 'mock', hostname: 'h', password: 'p' }],
      ['password', { type: 'mock', hostname: 'h', username: 'u' }],
      ['password', { ...mock, password: 7 }],
      ['dummy_vlan', { ...mock, dummy_vlan: '7' }],
      ['switch', { ...mock, switch: 'x' }],
      ['__proto__', JSON.parse(JSON.stringify(mock).replace('{', '{"__proto__":{},'))],
    ])('a malformed body is refused with the name of the field %s', async (field, body: unknown) => {
      const answer = await admin.put('/switch/x', body);
      expectRefusal(answer, 'ValidationError', `"${field}"`);
      expect(answer.text).not.toContain(mock.password);
      expectRefusal(await admin.get('/switch/x'), 'NotFoundError', 'switch x');
    });

    it('a label that exists is refused', async () => {
      await makeSwitch(service, 'taken');
      expectRefusal(await admin.put('/switch/taken', mock), 'DuplicateError', 'taken');
    });

    it('a password is never shown again, not even in the log', async () => {
      const password = 'hunter2-and-more';
      await done(admin.put('/switch/discreet', { ...mock, password }));
      await done(admin.put('/switch/discreet/port/p1'));
      await admin.put('/switch/discreet', { ...mock, password });
      await admin.put('/switch/discreet-too', { ...mock, password, colour: 'red' });
      for (const path of ['/switch/discreet', '/switches', '/switch/discreet/port/p1']) {
        expect((await done(admin.get(path))).text).not.toContain(password);
      }
      expect(service.log.join('')).not.toContain(password);
    });
  });

  it('only drivers that existing clients know have a long form', async () => {
    expectNothingToSay(await admin.put('/switch/plugged-in', { type: 'gigabit', hostname: 'h' }));
    expectBody(await admin.get('/switch/plugged-in'), {
      name: 'plugged-in',
      ports: [],
      type: 'gigabit',
      capabilities: [],
      fields: {},
      secrets: ['hostname'],
    });
    expectRefusal(
      await admin.put('/switch/x', { type: longForm('gigabit'), hostname: 'h' }),
      'BadArgumentError',
      '"type"',
      'gigabit',
    );
  });

  describe('show_switch', () => {
    it('lists the ports, sorted', async () => {
      await makeSwitch(service, 'wide');
      for (const port of ['\uFF21', '\u{1F40E}', 'gi1/0/2', 'gi1/0/10', 'ethernet 1/42', 'gi1/0/1']) {
        await done(admin.put(`/switch/wide/port/${port}`));
      }
      expectBody(await admin.get('/switch/wide'), {
        name: 'wide',
        ports: ['ethernet 1/42', 'gi1/0/1', 'gi1/0/10', 'gi1/0/2', '\u{1F40E}', '\uFF21'],
        type: 'mock',
        capabilities: ['nativeless-trunk-mode'],
        fields: { hostname: 'wide', username: 'operator' },
        secrets: ['password'],
      });
    });

    it('tells the fields that its driver lets be read, and of secrets only that there are some', async () => {
      const secrets = { password: 'canary-1', enable_password: 'canary-2', private_key: 'canary-3' };
      const fields = { hostname: '127.0.0.1', username: 'u', port: 9, dummy_vlan: 999 };
      await done(admin.put('/switch/telling', { type: 'cisco-nxos', ...fields, ...secrets }));
      const answer = await admin.get('/switch/telling');
      expect(answer.body).toMatchObject({ fields, secrets: ['enable_password', 'password', 'private_key'] });
      expect(answer.text).not.toContain('canary');
    });

    it('takes no private key in a field that can be read again', async () => {
      const both = '-----BEGIN CERTIFICATE-----\nx\n-----BEGIN PRIVATE KEY-----\ncanary\n';
      const ovs = { type: 'ovs', ovs_bridge: 'br0', certificate: both };
      expectRefusal(
        await admin.put('/switch/telltale', ovs),
        'ValidationError',
        '"certificate"',
        'without a private key',
      );
      const eapi = { type: 'arista-eapi', hostname: 'h', username: 'u', password: 'p', ca: both };
      expectRefusal(await admin.put('/switch/telltale', eapi), 'ValidationError', '"ca"', 'without a private key');
    });

    it('a missing switch is not found', async () => {
      expectRefusal(await admin.get('/switch/nowhere'), 'NotFoundError', 'switch nowhere');
    });
  });

  describe('list_switch_types', () => {
    it('tells the fields of every driver, with secrets that can only be written', async () => {
      const types = (await done(admin.get('/switch_types'))).body as Record<string, { fields: object }>;
      expect(Object.keys(types)).toEqual(
        expect.arrayContaining(['arista-eapi', 'cisco-nxos', 'gigabit', 'mock', 'ovs']),
      );
      expect(types['mock']).toMatchObject({
        capabilities: ['nativeless-trunk-mode'],
        fields: { required: ['hostname', 'username', 'password'], properties: { password: { writeOnly: true } } },
      });
      const writeOnly = Object.values(types).flatMap(({ fields }) =>
        Object.entries((fields as { properties: Record<string, { writeOnly?: true }> }).properties)
          .filter(([, field]) => field.writeOnly)
          .map(([name]) => name),
      );
      expect([...new Set(writeOnly)].sort()).toEqual(['enable_password', 'hostname', 'password', 'private_key']);
    });
  });

  describe('switch_delete', () => {
    it('a switch goes once its ports are gone', async () => {
      await makeSwitch(service, 'brief');
      await done(admin.put('/switch/brief/port/gi1/0/1'));
      expectRefusal(await admin.del('/switch/brief'), 'BlockedError', 'brief', 'gi1/0/1');
      await done(admin.del('/switch/brief/port/gi1/0/1'));
      expectNothingToSay(await admin.del('/switch/brief'));
      expectRefusal(await admin.get('/switch/brief'), 'NotFoundError', 'brief');
      expectRefusal(await admin.del('/switch/brief'), 'NotFoundError', 'brief');
      expectNothingToSay(await admin.put('/switch/brief', mock));
    });
  });

  describe('list_switches', () => {
    it('lists the labels, sorted', async () => {
      for (const label of ['zulu', '\uFF21', '\u{1F40E}', 'Alpha', 'alpha', 'älpha']) await makeSwitch(service, label);
      const labels = (await done(admin.get('/switches'))).body as string[];
      expect(labels).toEqual(labels.toSorted());
      expect(labels).toEqual(expect.arrayContaining(['Alpha', 'alpha', 'zulu', 'älpha', '\u{1F40E}', '\uFF21']));
    });
  });

  describe('list_active_extensions', () => {
    it('names everything plugged in, by kind', async () => {
      const names = (await done(admin.get('/active_extensions'))).body as string[];
      for (const name of names) expect(name).toMatch(/^corral\.ext\.[a-z_]+\.[a-z0-9_-]+$/);
      expect(names).toEqual(names.toSorted());
      expect(names).toContain('corral.ext.switches.mock');
      expect(names).toContain('corral.ext.switches.native_first');
      expect(names.filter((name) => name.startsWith('corral.ext.network_allocators.'))).toHaveLength(1);
      expect(names.filter((name) => name.startsWith('corral.ext.auth.'))).toEqual(['corral.ext.auth.database']);
    });
  });

  it('all of it is for administrators, whether a thing exists or not', async () => {
    await makeSwitch(service, 'closed');
    for (const client of [alice, service.anonymous]) {
      expectRefusal(await client.get('/switches'), 'AuthorizationError');
      expectRefusal(await client.get('/active_extensions'), 'AuthorizationError');
      for (const label of ['closed', 'nowhere']) {
        expectRefusal(await client.get(`/switch/${label}`), 'AuthorizationError');
        expectRefusal(await client.put(`/switch/${label}`, mock), 'AuthorizationError');
        expectRefusal(await client.put(`/switch/${label}`, { nonsense: true }), 'AuthorizationError');
        expectRefusal(await client.del(`/switch/${label}`), 'AuthorizationError');
      }
    }
    expectRefusal(await admin.get('/switch/nowhere'), 'NotFoundError', 'nowhere');
  });

  it.each(oddLabels)('a switch may be called $what', async ({ label }) => {
    expectNothingToSay(await admin.put(`/switch/${enc(label)}`, mock));
    expect((await admin.get('/switches')).body).toContain(label);
    expectNothingToSay(await admin.put(`/switch/${enc(label)}/port/gi1/0/1`));
    expect((await admin.get(`/switch/${enc(label)}`)).body).toMatchObject({ name: label, ports: ['gi1/0/1'] });
    expectNothingToSay(await admin.del(`/switch/${enc(label)}/port/gi1/0/1`));
    expectNothingToSay(await admin.del(`/switch/${enc(label)}`));
  });

  it.each(['a%2Fb', '%20a', 'a%20', 'a%0Db', 'x'.repeat(256)])('%j is no label for a switch', async (label) => {
    expectRefusal(await admin.put(`/switch/${label}`, mock), 'ValidationError', '"switch"');
    expectRefusal(await admin.put(`/switch/${label}/port/gi1`), 'ValidationError', '"switch"');
  });
});
