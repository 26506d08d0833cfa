import { describe, expect, it } from 'vitest';
import { engines } from './support/engines.ts';
import { gate, makeEnabledRack, makeRack, patient, replicaOf, setObm } from './support/rack.ts';
import { runSql } from './support/sql.ts';
import { done, eventually } from './support/world.ts';

const failOnToken = {
  sqlite: `create trigger disk_full before update of obm_token on nodes begin select raise(abort, 'disk full'); end`,
  postgres: `
    create function disk_full() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
    create trigger disk_full before update of obm_token on nodes for each row execute function disk_full()`,
};
const mendToken = { sqlite: 'drop trigger disk_full', postgres: 'drop trigger disk_full on nodes' };

describe.each(engines)('OBM between daemon and database on %s', (engine) => {
  it('enabling that cannot be written down leaves access off', async () => {
    const { alice, machine, service } = await makeRack(engine);
    await runSql(service, failOnToken);
    const answer = await alice.put('/node/n1/obm', { enabled: true });
    expect(answer).toMatchObject({ status: 500, body: { type: 'ServerError' } });
    expect(answer.text).not.toContain('disk full');
    expect(machine.tokens).toHaveLength(1);
    expect(machine.token).toBeNull();
    expect((await alice.post('/node/n1/power_on')).status).toBe(409);
    await runSql(service, mendToken);
    await setObm(alice, true);
    await done(alice.post('/node/n1/power_on'));
  });

  it('disabling that cannot be written down leaves access off, and can be repeated', async () => {
    const { alice, machine, service } = await makeEnabledRack(engine);
    await runSql(service, failOnToken);
    expect((await alice.put('/node/n1/obm', { enabled: false })).status).toBe(500);
    expect(machine.token).toBeNull();
    expect((await alice.post('/node/n1/power_on')).status).toBe(502);
    expect(machine.power).toBe('off');
    await runSql(service, mendToken);
    await setObm(alice, false);
    expect((await alice.post('/node/n1/power_on')).status).toBe(409);
  });

  it('a token whose answer is lost opens nothing, and the next one voids it', async () => {
    const { alice, machine } = await makeRack(engine);
    machine.fault = { kind: 'drop', after: true, on: ['create_token'] };
    expect((await alice.put('/node/n1/obm', { enabled: true })).status).toBe(502);
    expect((await alice.post('/node/n1/power_on')).status).toBe(409);
    machine.fault = null;
    await setObm(alice, true);
    expect(machine.tokens).toHaveLength(2);
    await done(alice.post('/node/n1/power_on'));
  });

  it('a node that leaves its project while OBM is being enabled stays disabled', async () => {
    const { alice, machine, obmd, service } = await makeRack(engine, { env: patient });
    const { opened, open } = gate();
    machine.fault = { kind: 'hang', until: opened, after: true, on: ['create_token'] };
    const enabling = service.admin.put('/node/n1/obm', { enabled: true });
    await eventually(() => obmd.calls[0]);
    await done(alice.post('/project/red/detach_node', { node: 'n1' }));
    open();
    expect((await enabling).status).toBe(409);
    expect(machine.token).toBeNull();
    expect((await service.admin.post('/node/n1/power_on')).status).toBe(409);
  });

  it('an order that the daemon refuses because OBM was disabled meanwhile is a 409', async () => {
    const { alice, machine, obmd } = await makeEnabledRack(engine, { env: patient });
    const { opened, open } = gate();
    machine.fault = { kind: 'hang', until: opened, on: ['power_status'] };
    const asking = alice.get('/node/n1/power_status');
    await eventually(() => obmd.calls.find(({ path }) => path.endsWith('power_status')));
    await setObm(alice, false);
    open();
    expect(await asking).toMatchObject({ status: 409, body: { type: 'BlockedError' } });
  });

  it('so is one that comes while OBM is being disabled', async () => {
    const { alice, machine, obmd } = await makeEnabledRack(engine, { env: patient });
    const { opened, open } = gate();
    machine.fault = { kind: 'hang', until: opened, after: true, on: ['destroy_token'] };
    const disabling = setObm(alice, false);
    await eventually(() => (machine.token === null ? true : undefined));
    const asking = alice.get('/node/n1/power_status');
    await eventually(() => obmd.calls.find(({ path }) => path.endsWith('power_status')));
    open();
    await disabling;
    expect(await asking).toMatchObject({ status: 409, body: { type: 'BlockedError' } });
  });

  it('an order that meets a new token is carried out with it', async () => {
    const { alice, machine, obmd } = await makeEnabledRack(engine, { env: patient });
    const { opened, open } = gate();
    machine.fault = { kind: 'hang', until: opened, on: ['power_on'] };
    const ordering = alice.post('/node/n1/power_on');
    await eventually(() => obmd.calls.find(({ path }) => path.endsWith('power_on')));
    machine.fault = null;
    await setObm(alice, false);
    await setObm(alice, true);
    open();
    expect((await ordering).status).toBe(200);
    expect(machine.power).toBe('on');
  });

  it('daemon and database agree after any race of enabling and disabling', async () => {
    const { alice, machine, service } = await makeRack(engine);
    const replica = engine === 'postgres' ? await replicaOf(service) : service;
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (index % 3 === 0 ? replica.as('alice') : alice).put('/node/n1/obm', { enabled: index % 2 === 0 }),
        ),
      );
      for (const answer of answers) expect(answer.status, answer.text).toBe(200);
      const { status } = await alice.post('/node/n1/power_on');
      expect(status).toBe(machine.token === null ? 409 : 200);
    }
    expect(machine.tokens.length).toBeGreaterThan(1);
  });
});
