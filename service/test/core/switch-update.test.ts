import { startAristaEos } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectNothingToSay, expectRefusal } from '../support/http/expect-answers.ts';
import { engines } from '../support/services/engines.ts';
import { runSql } from '../support/services/run-sql.ts';
import { serviceForTest } from '../support/services/service.ts';
import { message, sharedService } from '../support/services/shared-service.ts';
import { driftOf, eventsOf, saved, sweep } from '../support/switches/drift-helpers.ts';
import { deviceAt, housedSwitches } from '../support/switches/housed-switches.ts';
import {
  connect,
  detach,
  done,
  eventually,
  leftAlone,
  makeNetwork,
  makeProject,
  makeUser,
  obmd,
  settled,
} from '../support/services/world.ts';

/** Calls to devices take as long as they do, what waits is not given up, and a busy machine loses no lease. */
const patient = {
  CORRAL_ENGINE_DEVICE_TIMEOUT: '30',
  CORRAL_ENGINE_BUDGET: '120',
  CORRAL_ENGINE_SESSION_IDLE: '20',
  CORRAL_ENGINE_LEASE: '60',
};

describe.each(engines)('switch_update on %s', (engine) => {
  const service = sharedService(engine, { ...housedSwitches, ...patient });
  /** What is plugged in is there once for both engines. */
  const at = (host: string): string => `${host}.${engine}`;
  const fieldsAt = (host: string) => ({ hostname: at(host), username: 'operator', password: 'first password' });
  const register = (label: string) =>
    done(service().admin.put(`/switch/${label}`, { type: 'housed', ...fieldsAt(label) }));
  const update = (label: string, fields: object) => service().admin.patch(`/switch/${label}`, fields);
  const shown = async (label: string) =>
    (await done(service().admin.get(`/switch/${label}`))).body as { fields: object; secrets: string[] };
  const wire = async (onSwitch: string, node: string, port: string): Promise<void> => {
    await done(service().admin.put(`/node/${node}`, { obmd }));
    await done(service().admin.put(`/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:01' }));
    await done(service().admin.put(`/switch/${onSwitch}/port/${port}`));
    await done(service().admin.post(`/switch/${onSwitch}/port/${port}/connect_nic`, { node, nic: 'eth0' }));
  };
  const take = (project: string, node: string) => service().admin.post(`/project/${project}/connect_node`, { node });
  const taken = (project: string, node: string) =>
    eventually(async () => ((await take(project, node)).status === 200 ? true : undefined));
  const portOf = async (onSwitch: string, port: string) =>
    (await done(service().admin.get(`/switch/${onSwitch}/port/${port}`))).body as object;

  describe('its fields', () => {
    it('are those that are named, and the others stay', async () => {
      await register('named');
      expectNothingToSay(await update('named', { username: 'other', enable_password: 'more' }));
      expect(await shown('named')).toMatchObject({
        fields: { hostname: at('named'), username: 'other' },
        secrets: ['enable_password', 'password'],
      });
      expectNothingToSay(await update('named', { enable_password: null, comment: 'rack 7' }));
      expect(await shown('named')).toMatchObject({
        fields: { hostname: at('named'), username: 'other', comment: 'rack 7' },
        secrets: ['password'],
      });
      expect(await eventsOf(service(), 'switch_update', 'named')).toMatchObject([
        { detail: { fields: ['enable_password', 'username'] } },
        { detail: { fields: ['comment', 'enable_password'] } },
      ]);
    });

    it.each([
      ['colour', { colour: 'red' }],
      ['colour', { colour: null }],
      ['password', { password: 7 }],
      ['password', { password: null }],
      ['comment', { comment: 'more than ten letters', password: 'hidden' }],
      ['__proto__', JSON.parse('{"__proto__":{"a":1}}')],
    ])('are refused as at the registration, with the name of the field %s', async (field, body: object) => {
      await service().admin.put('/switch/strict', { type: 'housed', ...fieldsAt('strict') });
      const answer = await update('strict', body);
      expectRefusal(answer, 'ValidationError', `"${field}"`);
      expect(answer.text).not.toContain('hidden');
      expect(await shown('strict')).toMatchObject({ fields: { username: 'operator' }, secrets: ['password'] });
      expect(await eventsOf(service(), 'switch_update', 'strict')).toEqual([]);
    });

    it('never change its type', async () => {
      await register('typed');
      expectRefusal(
        await update('typed', { type: 'mock' }),
        'BadArgumentError',
        'typed',
        'housed',
        'register it again',
      );
      expectRefusal(await update('typed', { type: 'nothing' }), 'BadArgumentError', '"type"');
      expectNothingToSay(await update('typed', { type: 'housed', ...fieldsAt('typed') }));
    });

    it('are those of a switch that exists', async () => {
      expectRefusal(await update('nowhere', { password: 'p' }), 'NotFoundError', 'switch nowhere');
    });

    it('are for administrators to change, whether the switch exists or not', async () => {
      await register('closed');
      await makeProject(service(), 'curious');
      const tenant = await makeUser(service(), 'tenant', 'curious');
      for (const client of [tenant, service().anonymous])
        for (const label of ['closed', 'nowhere'])
          expectRefusal(await client.patch(`/switch/${label}`, { password: 'p' }), 'AuthorizationError');
    });

    it('may lead nowhere that connections may not go', async () => {
      const eos = { type: 'arista-eos', hostname: '127.0.0.1', port: 9, username: 'u', password: 'p' };
      await done(service().admin.put('/switch/guarded', eos));
      const refused = await update('guarded', { hostname: '169.254.169.254' });
      expectRefusal(refused, 'BadArgumentError', 'switch guarded cannot be reached');
      expect(await shown('guarded')).toMatchObject({ fields: { hostname: '127.0.0.1' } });
    });

    it('change once, however often and from however many sides the same is asked for', async () => {
      await register('again');
      const same = { username: 'second', password: 'first password' };
      await Promise.all(Array.from({ length: 4 }, () => done(update('again', same))));
      expectNothingToSay(await update('again', same));
      expect(await eventsOf(service(), 'switch_update', 'again')).toHaveLength(1);
    });

    it('are all changed when several are changed at once', async () => {
      await register('crowded');
      const changes = [{ username: 'second' }, { comment: 'third' }, { enable_password: 'fourth' }];
      await Promise.all(changes.map((change) => done(update('crowded', change))));
      expect(await shown('crowded')).toMatchObject({
        fields: { hostname: at('crowded'), username: 'second', comment: 'third' },
        secrets: ['enable_password', 'password'],
      });
    });
  });

  describe('a password', () => {
    it('that was changed on the device is changed here, and everything stays where it is', async () => {
      const device = await startAristaEos();
      onTestFinished(() => device.stop());
      const [first = '', second = ''] = device.ports;
      await makeProject(service(), 'red');
      for (const network of ['red-1', 'red-2']) await makeNetwork(service(), network, 'red');
      await done(service().admin.put('/switch/leaf', { type: 'arista-eos', ...device.fields }));
      for (const [node, port] of [
        ['stays', first],
        ['comes', second],
      ] as const) {
        await wire('leaf', node, port);
        await done(service().admin.post(`/switch/leaf/port/${port}/revert`));
        await taken('red', node);
      }
      await connect(service(), 'stays', 'eth0', 'red-1');
      const before = await device.carried(first);

      const rotated = 'a password that nobody may see';
      device.rotatePassword(rotated);
      const queued = await service().admin.post('/node/comes/nic/eth0/connect_network', { network: 'red-2' });
      await eventually(async () => (await eventsOf(service(), 'switch_unreachable', 'leaf'))[0]);
      expectNothingToSay(await update('leaf', { password: rotated }));
      expect(await settled(service(), queued)).toMatchObject({ status: 'DONE' });

      expect(await device.carried(first)).toEqual(before);
      expect(await portOf('leaf', first)).toMatchObject({ networks: { 'vlan/native': 'red-1' } });
      expect(await eventsOf(service(), 'switch_reachable', 'leaf')).toHaveLength(1);
      const { text } = await done(service().admin.get('/events?switch=leaf'));
      expect(text).toContain('switch_update');
      expect(text + service().log.join('')).not.toContain(rotated);
    });

    it('leaves what is known of its ports as it is, also while the device is down', async () => {
      await makeProject(service(), 'calm');
      await register('known');
      await wire('known', 'known-node', 'p1');
      await taken('calm', 'known-node');
      await done(service().admin.post('/project/calm/detach_node', { node: 'known-node' }));
      deviceAt(at('known')).isUp = false;
      await done(update('known', { password: 'another' }));
      expect((await take('calm', 'known-node')).status).toBe(200);
    });

    it('is used for the next word that is said, although a session with the old one is open', async () => {
      await register('lively');
      const device = deviceAt(at('lively'));
      await sweep(service(), 'lively');
      device.password = 'second password';
      const calls = device.calls.length;
      await sweep(service(), 'lively');
      expect(device.calls.slice(calls)).not.toContain('open');
      await done(update('lively', { password: 'second password' }));
      await eventually(() => device.calls.slice(calls).includes('open') || undefined);
      expect((await sweep(service(), 'lively')).fault).toBeNull();
    });
  });

  describe('a place', () => {
    it('where another switch is, is refused', async () => {
      await register('mine');
      await register('theirs');
      const refused = await update('mine', { hostname: at('theirs') });
      expectRefusal(refused, 'DuplicateError', 'switch mine', 'switch theirs');
      expect(await shown('mine')).toMatchObject({ fields: { hostname: at('mine') } });
      // Its own is free, and the old one afterwards.
      await done(update('mine', { hostname: at('mine'), username: 'other' }));
      await done(update('mine', { hostname: at('further') }));
      await done(update('theirs', { hostname: at('mine') }));
      expectRefusal(await update('mine', { hostname: at('mine') }), 'DuplicateError', 'switch theirs');
    });

    it('where another switch’s device answers makes it a second record, until it is moved away', async () => {
      await register('first');
      await register('second');
      for (const label of ['first', 'second']) {
        deviceAt(at(label)).serial = `${label} of ${engine}`;
        await sweep(service(), label);
      }
      // Two addresses of one device.
      deviceAt(at('side-door')).serial = `first of ${engine}`;
      await done(update('second', { hostname: at('side-door') }));
      await eventually(async () => {
        const { body } = await done(service().admin.get('/switch/second'));
        return (body as { duplicate_of?: string }).duplicate_of === 'first' || undefined;
      });
      await done(update('second', { hostname: at('second') }));
      await eventually(async () => ((await driftOf(service(), 'second')).swept_at === null ? undefined : true));
      expect(await shown('second')).toMatchObject({ identity: `second of ${engine}` });
      expect(await shown('second')).not.toHaveProperty('duplicate_of');
      await sweep(service(), 'first');
      expect(await shown('first')).not.toHaveProperty('duplicate_of');
    });

    it('makes nothing on it reservable until the device there has been read', async () => {
      await makeProject(service(), 'blue');
      await register('moving');
      for (const port of ['p1', 'p2']) await wire('moving', `${port}-node`, port);
      for (const node of ['p1-node', 'p2-node']) {
        await taken('blue', node);
        await done(service().admin.post('/project/blue/detach_node', { node }));
      }
      const there = deviceAt(at('new-place'));
      there.isUp = false;
      there.ports.set('p2', { port: 'p2', native: 99, tagged: [] });
      await done(update('moving', { hostname: at('new-place') }));
      for (const node of ['p1-node', 'p2-node'])
        expectRefusal(await take('blue', node), 'BlockedError', 'has not been read', 'its switch was updated');
      expect(
        await message(service().admin.put('/network/early', { owner: 'blue', access: 'blue', net_id: '' })),
      ).toContain('has not been read since its switch was updated');
      expect(await driftOf(service(), 'moving')).toMatchObject({ swept_at: null, unread: ['p1', 'p2'] });

      there.isUp = true;
      await taken('blue', 'p1-node');
      expect(await message(take('blue', 'p2-node'))).toContain('VLAN 99');
      await makeNetwork(service(), 'early', 'blue');
    });

    it('keeps tenants where they are, and their nodes until the new device carries what is recorded', async () => {
      await makeProject(service(), 'green');
      await makeNetwork(service(), 'green-net', 'green');
      await register('staying');
      await wire('staying', 'tenant-node', 'p1');
      await taken('green', 'tenant-node');
      await connect(service(), 'tenant-node', 'eth0', 'green-net');
      await saved(service(), 'staying');
      const here = deviceAt(at('staying'));
      // The same device, by another address.
      const there = deviceAt(at('staying-there'));
      there.ports.set('p1', here.state('p1'));
      const calls = here.calls.length;
      await done(update('staying', { hostname: at('staying-there') }));
      await eventually(async () => ((await driftOf(service(), 'staying')).swept_at === null ? undefined : true));
      expect(await portOf('staying', 'p1')).toMatchObject({ networks: { 'vlan/native': 'green-net' } });
      expect((await driftOf(service(), 'staying')).ports).toEqual([]);
      expect(there.calls).not.toContain('apply');
      await detach(service(), 'tenant-node', 'eth0', 'green-net');
      expect(there.state('p1')).toEqual({ port: 'p1', native: null, tagged: [] });
      expect(here.state('p1').native).not.toBeNull();
      expect(here.calls.slice(calls)).toEqual([]);
      await done(service().admin.post('/project/green/detach_node', { node: 'tenant-node' }));
    });
  });

  describe('while a session with the old fields is at work', () => {
    /** Moves a switch to a device that is down, after the old one has done something and before it answers. */
    const movedDuring = (label: string, verb: 'read' | 'apply' | 'identity' | 'open'): Promise<void> => {
      const here = deviceAt(at(label));
      deviceAt(at(`${label}-there`)).isUp = false;
      return new Promise((resolve, reject) => {
        here.after = async (what) => {
          if (what !== verb) return;
          here.after = () => undefined;
          await update(label, { hostname: at(`${label}-there`) }).then(() => resolve(), reject);
        };
      });
    };

    it.each(['read', 'identity', 'open'] as const)(
      'nothing that it finds counts for the new place (%s)',
      async (verb) => {
        const label = `late-${verb}`;
        await makeProject(service(), label);
        await register(label);
        await leftAlone(service(), label);
        const moved = movedDuring(label, verb);
        await wire(label, `${label}-node`, 'p1');
        await moved;
        const there = deviceAt(at(`${label}-there`));
        await eventually(() => (there.calls.length > 0 ? true : undefined));
        expectRefusal(await take(label, `${label}-node`), 'BlockedError', 'has not been read');
        expect(await driftOf(service(), label)).toMatchObject({ swept_at: null, unread: ['p1'] });
        // The old place is nobody's.
        await done(service().admin.put(`/switch/${label}-heir`, { type: 'housed', ...fieldsAt(label) }));
        there.isUp = true;
        await taken(label, `${label}-node`);
      },
    );

    it('a change that it made is made again at the new place before it is done', async () => {
      await makeProject(service(), 'grey');
      await makeNetwork(service(), 'grey-net', 'grey');
      await register('halfway');
      await wire('halfway', 'halfway-node', 'p1');
      await taken('grey', 'halfway-node');
      const moved = movedDuring('halfway', 'apply');
      const queued = await service().admin.post('/node/halfway-node/nic/eth0/connect_network', { network: 'grey-net' });
      await moved;
      const there = deviceAt(at('halfway-there'));
      await eventually(() => (there.calls.length > 0 ? true : undefined));
      const { status_id } = queued.body as { status_id: string };
      expect((await done(service().admin.get(`/networking_action/${status_id}`))).body).toMatchObject({
        status: 'PENDING',
      });
      there.isUp = true;
      expect(await settled(service(), queued)).toMatchObject({ status: 'DONE' });
      expect(there.state('p1').native).toBe(deviceAt(at('halfway')).state('p1').native);
      expect(there.state('p1').native).not.toBeNull();
    });

    it('a login that is refused after the update is not held against the switch', async () => {
      await register('rotating');
      const device = deviceAt(at('rotating'));
      await leftAlone(service(), 'rotating');
      const failing = new Promise<void>((resolve, reject) => {
        device.after = async (what) => {
          if (what !== 'open') return;
          device.after = () => undefined;
          device.password = 'second password';
          await update('rotating', { password: 'second password' }).then(() => resolve(), reject);
          throw new Error('permission denied');
        };
      });
      await done(service().admin.put('/switch/rotating/port/p1'));
      const read = service().admin.post('/switch/rotating/sweep');
      await failing;
      expect((await done(read)).body).toMatchObject({ fault: null, swept_at: expect.any(String) as string });
    });
  });
});

describe('switch_update between processes', () => {
  it.runIf(engines.includes('postgres'))('has everything that waits for a failing switch tried at once', async () => {
    // Nobody is there to try it.
    const api = await serviceForTest('postgres', { ...housedSwitches, ...patient, CORRAL_ROLE: 'api' });
    const fields = { type: 'housed', hostname: 'failing', username: 'operator', password: 'first password' };
    await done(api.admin.put('/switch/failing', fields));
    const sql = (text: string) => runSql(api, { sqlite: text, postgres: text });
    await sql(`update switches set faults = 5, fault = 'permission denied', probe_at = ${Date.now() + 9_000}`);
    await done(api.admin.patch('/switch/failing', { password: 'second password' }));
    expect(await sql('select faults from switches where probe_at = 0 and sweep_wanted > sweep_answered')).toEqual([
      { faults: 5 },
    ]);
  });

  it.runIf(engines.includes('postgres'))(
    'reaches the session that the worker of another process has open',
    async () => {
      const api = await serviceForTest('postgres', { ...housedSwitches, ...patient, CORRAL_ROLE: 'api' });
      const worker = await api.restart({ CORRAL_ROLE: 'worker' });
      onTestFinished(() => worker.stop());
      const fields = { type: 'housed', hostname: 'shared', username: 'operator', password: 'first password' };
      await done(api.admin.put('/switch/shared', fields));
      await makeProject(api, 'red');
      const device = deviceAt('shared');
      await sweep(api, 'shared');
      device.password = 'second password';
      const calls = device.calls.length;
      await sweep(api, 'shared');
      expect(device.calls.slice(calls)).not.toContain('open');
      await done(api.admin.patch('/switch/shared', { password: 'second password' }));
      expect((await sweep(api, 'shared')).fault).toBeNull();
      expect(device.calls.slice(calls)).toContain('open');
      expect(await eventsOf(api, 'switch_update', 'shared')).toHaveLength(1);
    },
  );
});
