import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import {
  expectNoSecrets,
  makeEnabledRack,
  makeRack,
  orders,
  registerNode,
  setObm,
} from '../support/services/obm-rack.ts';
import { serviceForTest } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done, makeProject, makeUser } from '../support/services/world.ts';

describe.each(engines)('OBM on %s', (engine) => {
  it('a member switches OBM on, gives orders, and switches it off', async () => {
    const { alice, machine } = await makeRack(engine);
    const enabled = await setObm(alice, true);
    expect([enabled.status, enabled.text]).toEqual([200, '']);
    expect((await alice.get('/node/n1/power_status')).body).toEqual({ power_status: 'off' });
    expect((await alice.post('/node/n1/power_on')).text).toBe('');
    expect(machine.power).toBe('on');
    expect((await alice.get('/node/n1/power_status')).body).toEqual({ power_status: 'on' });
    await done(alice.put('/node/n1/boot_device', { bootdev: 'disk' }));
    expect(machine.bootDevice).toBe('disk');
    await done(alice.post('/node/n1/power_off'));
    expect(machine.power).toBe('off');
    await setObm(alice, false);
    expect(machine.token).toBeNull();
  });

  it('the same value again is a silent no-op that does not bother the daemon', async () => {
    const { alice, obmd } = await makeRack(engine);
    await setObm(alice, false);
    expect(obmd.calls).toEqual([]);
    await setObm(alice, true);
    await setObm(alice, true);
    expect(obmd.calls.map(({ method, path, credentials }) => [method, path, credentials])).toEqual([
      ['POST', '/node/n1/token', 'basic'],
    ]);
  });

  it('an order while OBM is disabled is a 409, and the daemon hears nothing of it', async () => {
    const { alice, obmd } = await makeRack(engine);
    for (const [, order] of orders) {
      const answer = await order(alice);
      expect(answer).toMatchObject({ status: 409, body: { type: 'BlockedError' } });
      expect(answer.text).toContain('enable it first');
    }
    expect(obmd.calls).toEqual([]);
  });

  it('a node with OBM enabled can neither leave its project nor be deleted', async () => {
    const { alice, service } = await makeEnabledRack(engine);
    expect((await alice.post('/project/red/detach_node', { node: 'n1' })).status).toBe(409);
    await setObm(alice, false);
    await done(alice.post('/project/red/detach_node', { node: 'n1' }));
    await setObm(service.admin, true);
    expect((await service.admin.del('/node/n1')).status).toBe(409);
    await setObm(service.admin, false);
    await done(service.admin.del('/node/n1'));
  });

  it('a free node belongs to the operator, a reserved one to its project', async () => {
    const { alice, service, obmd } = await makeEnabledRack(engine);
    await makeProject(service, 'blue');
    const bob = await makeUser(service, 'bob', 'blue');
    obmd.add('n2');
    await registerNode(service, 'n2', obmd.uri('n2'));
    await setObm(service.admin, true, 'n2');
    for (const [, order] of orders) {
      expect((await order(alice, 'n2')).status).toBe(401);
      expect((await order(service.admin, 'n2')).status).toBe(200);
      expect((await order(bob)).status).toBe(401);
      expect((await order(service.admin)).status).toBe(200);
      expect((await order(alice, 'missing')).status).toBe(404);
      expect((await order(service.anonymous, 'missing')).status).toBe(401);
    }
    for (const [client, node, status] of [
      [alice, 'n2', 401],
      [bob, 'n1', 401],
      [service.anonymous, 'n1', 401],
      [alice, 'missing', 404],
    ] as const) {
      expect((await client.put(`/node/${node}/obm`, { enabled: false })).status).toBe(status);
    }
  });

  it('malformed bodies are a 400', async () => {
    const { alice } = await makeEnabledRack(engine);
    for (const [path, body] of [
      ['obm', {}],
      ['obm', { enabled: 'yes' }],
      ['obm', { enabled: true, node: 'n1' }],
      ['boot_device', {}],
      ['boot_device', { bootdev: 7 }],
    ] as const) {
      expect(await alice.put(`/node/n1/${path}`, body)).toMatchObject({
        status: 400,
        body: { type: 'ValidationError' },
      });
    }
    expect((await alice.post('/node/n1/power_cycle', { force: 'yes' })).status).toBe(400);
  });

  it('power_cycle boots from the network, softly unless it is forced', async () => {
    const { alice, machine, obmd } = await makeEnabledRack(engine);
    await done(alice.put('/node/n1/boot_device', { bootdev: 'disk' }));
    const before = obmd.calls.length;
    await done(alice.post('/node/n1/power_cycle'));
    expect([machine.power, machine.bootDevice]).toEqual(['on', 'pxe']);
    expect(obmd.calls.slice(before)).toEqual([
      { method: 'PUT', path: '/node/n1/boot_device', body: { bootdev: 'pxe', once: true }, credentials: 'token' },
      { method: 'POST', path: '/node/n1/power_cycle', body: { force: false }, credentials: 'token' },
    ]);
    await done(alice.post('/node/n1/power_cycle', { force: true }));
    expect(obmd.calls.at(-1)?.body).toEqual({ force: true });
  });

  it.each([
    ['understood', 'pxe once', ['pxe', 'disk'], null],
    ['ignored', 'pxe', ['pxe', 'pxe'], 'until its boot device is set to something else'],
    ['refused', 'pxe', ['pxe', 'pxe'], 'until its boot device is set to something else'],
    ['without pxe', 'unchanged', ['disk', 'disk'], 'does not support boot device pxe'],
    ['absent', 'unchanged', ['none', 'none'], 'does not support boot device pxe'],
  ] as const)(
    'power_cycle is for one boot from the network, with a daemon by which that is %s: the event tells',
    async (nextBoot, boot, bootedFrom, note) => {
      const { alice, machine, service } = await makeEnabledRack(engine, { obmd: { nextBoot } });
      if (nextBoot !== 'absent') await done(alice.put('/node/n1/boot_device', { bootdev: 'disk' }));
      await done(alice.post('/node/n1/power_cycle'));
      // The machine is restarted by hand, or by itself.
      machine.powerOff();
      machine.powerOn();
      expect(machine.bootedFrom).toEqual(bootedFrom);
      const { body } = await service.admin.get('/events?node=n1&type=node_power_cycle');
      const [event] = (body as { events: { detail: { boot: string; note?: string } }[] }).events;
      expect(event?.detail.boot).toBe(boot);
      if (note === null) expect(event?.detail).not.toHaveProperty('note');
      else expect(event?.detail.note).toContain(note);
    },
  );

  it('power_cycle is not done while the boot device may not have been set', async () => {
    const { alice, machine, obmd } = await makeEnabledRack(engine);
    machine.fault = { kind: 'status', status: 502, on: ['boot_device'] };
    expect((await alice.post('/node/n1/power_cycle')).status).toBe(502);
    expect(obmd.calls.map(({ path }) => path)).not.toContain('/node/n1/power_cycle');
  });

  it('a boot device that the daemon does not have is a 400 in its words', async () => {
    const { alice, machine } = await makeEnabledRack(engine);
    const answer = await alice.put('/node/n1/boot_device', { bootdev: 'floppy' });
    expect(answer).toMatchObject({ status: 400, body: { type: 'BadArgumentError' } });
    expect(answer.text).toContain('bootdev must be one of pxe, disk, none');
    const told = `no\r\nsuch\u0000 device at ?token=${machine.token ?? ''} ${'x'.repeat(500)}`;
    machine.fault = { kind: 'status', status: 400, body: told };
    const { body } = await alice.put('/node/n1/boot_device', { bootdev: 'floppy' });
    const { msg } = body as { msg: string };
    expect(msg).toContain('no such device at ?token=[secret] xxx');
    expect(msg.length).toBeLessThan(400);
  });

  it('works below addresses with and without a slash at the end', async () => {
    const { service, obmd } = await makeRack(engine);
    obmd.add('n2');
    await registerNode(service, 'n2', `${obmd.uri('n2')}/`);
    await setObm(service.admin, true, 'n2');
    await done(service.admin.post('/node/n2/power_on'));
    expect(obmd.calls.map(({ path }) => path)).toEqual(['/node/n2/token', '/node/n2/power_on']);
  });

  it('what is done out of band is on record, and secrets are nowhere', async () => {
    const { alice, service, machine } = await makeEnabledRack(engine);
    const answers = [];
    for (const [, order] of orders) answers.push(await order(alice));
    machine.token = 'lost';
    for (const [, order] of orders) answers.push(await order(alice));
    await setObm(alice, false);
    answers.push(await service.admin.get('/node/n1'));
    const events = await service.admin.get('/events?node=n1');
    answers.push(events);
    expect(events.text).toContain('node_enable_obm');
    expect(events.text).toContain('node_power_cycle');
    expect(events.text).toContain('node_disable_obm');
    for (const { text, headers } of answers) expectNoSecrets(text + JSON.stringify([...headers]), machine);
    const stored = await runSql(service, { sqlite: 'select * from nodes', postgres: 'select * from nodes' });
    expectNoSecrets(JSON.stringify(stored), machine);
  });

  it('a daemon is not needed to register a node', async () => {
    const service = await serviceForTest(engine);
    await registerNode(service, 'n1', 'http://127.0.0.1:9/node/n1');
    expect((await service.admin.put('/node/n1/obm', { enabled: true })).status).toBe(502);
  });
});
