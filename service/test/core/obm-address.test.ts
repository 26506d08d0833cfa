import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import {
  expectNoSecrets,
  gate,
  labObmd,
  makeEnabledRack,
  makeRack,
  patient,
  registerNode,
  setObm,
} from '../support/services/obm-rack.ts';
import { done, eventually, makeProject, makeUser, reserve } from '../support/services/world.ts';

describe.each(engines)('where the OBM daemon of a node is, on %s', (engine) => {
  it('can be set again, and access stays as it is', async () => {
    const { service, alice, machine, obmd } = await makeEnabledRack(engine);
    const { token } = machine;
    const uri = `${obmd.uri('n1')}/`;
    const answer = await service.admin.put('/node/n1/obmd', { uri, admin_token: obmd.adminToken });
    expect([answer.status, answer.text]).toEqual([200, '']);
    await done(alice.post('/node/n1/power_on'));
    expect([machine.power, machine.token]).toEqual(['on', token]);
    expect((await service.admin.get('/node/n1/obmd')).body).toEqual({ uri, inside: false });
    expect((await service.admin.get('/events?type=node_set_obmd')).body).toMatchObject({ events: [{ node: 'n1' }] });
  });

  it('with a wrong admin token is a dead end that the answer shows the way out of', async () => {
    const { service, alice, obmd, machine } = await makeEnabledRack(engine);
    await done(service.admin.put('/node/n1/obmd', { uri: obmd.uri('n1'), admin_token: 'outdated' }));
    const refused = await alice.put('/node/n1/obm', { enabled: false });
    expect(refused.status).toBe(502);
    expect(refused.text).toContain('PUT /node/<node>/obmd');
    await done(service.admin.put('/node/n1/obmd', { uri: obmd.uri('n1'), admin_token: obmd.adminToken }));
    await setObm(alice, false);
    expect(machine.token).toBeNull();
  });

  it('can be another daemon: OBM is disabled and enabled again', async () => {
    const { service, alice } = await makeEnabledRack(engine);
    const elsewhere = await labObmd();
    const machine = elsewhere.add('n1');
    await done(service.admin.put('/node/n1/obmd', { uri: elsewhere.uri('n1'), admin_token: elsewhere.adminToken }));
    expect((await alice.post('/node/n1/power_on')).text).toContain('disable OBM of the node and enable it again');
    await setObm(alice, false);
    await setObm(alice, true);
    await done(alice.post('/node/n1/power_on'));
    expect(machine.power).toBe('on');
    expectNoSecrets(service.log.join('\n'), machine);
  });

  it('is refused like at registration', async () => {
    const { service } = await makeRack(engine);
    const answer = await service.admin.put('/node/n1/obmd', { uri: 'ftp://obmd.example/n1', admin_token: 'x' });
    expect(answer).toMatchObject({ status: 400, body: { type: 'BadArgumentError' } });
    expect((await service.admin.put('/node/missing/obmd', { uri: 'http://obmd/n', admin_token: 'x' })).status).toBe(
      404,
    );
    expect((await service.admin.put('/node/n1/obmd', { uri: 'http://obmd/n' })).status).toBe(400);
  });

  it.each(['', '/'])('belongs to one node with OBM enabled at a time; the other one ends in "%s"', async (end) => {
    const { service, obmd, machine, alice } = await makeEnabledRack(engine);
    await makeProject(service, 'blue');
    const bob = await makeUser(service, 'bob', 'blue');
    await registerNode(service, 'typo', `${obmd.uri('n1')}${end}`);
    await reserve(service, 'blue', 'typo');
    const { token } = machine;
    const refused = await bob.put('/node/typo/obm', { enabled: true });
    expect(refused).toMatchObject({ status: 409, body: { type: 'BlockedError' } });
    expect(refused.text).toContain('same OBM address as node n1');
    expect(machine.token).toBe(token);
    await done(alice.post('/node/n1/power_on'));
    await setObm(alice, false);
    await setObm(bob, true, 'typo');
  });

  it('belongs to one node also when two are enabled at once', async () => {
    const { service, obmd, machine, alice } = await makeRack(engine, { env: patient });
    await makeProject(service, 'blue');
    const bob = await makeUser(service, 'bob', 'blue');
    await registerNode(service, 'typo', obmd.uri('n1'));
    await reserve(service, 'blue', 'typo');
    const { opened, open } = gate();
    machine.fault = { kind: 'hang', until: opened, after: true, on: ['create_token'] };
    const enabling = [alice.put('/node/n1/obm', { enabled: true }), bob.put('/node/typo/obm', { enabled: true })];
    await eventually(() => (machine.tokens.length === 2 ? true : undefined));
    open();
    const statuses = (await Promise.all(enabling)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
  });
});
