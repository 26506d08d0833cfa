import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { gate, makeEnabledRack, makeRack, patient, replicaOf, setObm } from '../support/services/obm-rack.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done, eventually } from '../support/services/world.ts';

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

  it('what the daemon did for a process that has lost its lease meanwhile is not recorded', async () => {
    const { alice, machine, service } = await makeRack(engine, { env: patient });
    const overtaken = async (enabled: boolean): Promise<void> => {
      const { opened, open } = gate();
      machine.fault = { kind: 'hang', until: opened, after: true, on: [enabled ? 'create_token' : 'destroy_token'] };
      const before = machine.token;
      const changing = alice.put('/node/n1/obm', { enabled });
      await eventually(() => (machine.token !== before ? true : undefined));
      // The holder stays the same, as for a process that loses a lease and takes it again.
      const statement = `update leases set fence = fence + 1 where name like 'obm/%'`;
      await runSql(service, { sqlite: statement, postgres: statement });
      machine.fault = null;
      open();
      expect(await changing).toMatchObject({ status: 409, body: { type: 'BlockedError' } });
      const freed = `update leases set expires_at = 0`;
      await runSql(service, { sqlite: freed, postgres: freed });
    };
    await overtaken(true);
    expect((await alice.post('/node/n1/power_on')).status).toBe(409);
    await setObm(alice, true);
    await done(alice.post('/node/n1/power_on'));
    await overtaken(false);
    // Nobody has recorded that it is off: it is disabled again before it is enabled.
    expect((await alice.post('/node/n1/power_on')).status).toBe(502);
    await setObm(alice, false);
    expect((await alice.post('/node/n1/power_on')).status).toBe(409);
  });

  it.each(['obm', 'console'])('calls no daemon while the lease %s/<node> is held elsewhere', async (name) => {
    const { alice, obmd, service } = await (name === 'obm' ? makeRack : makeEnabledRack)(engine);
    const later = Date.now() + 60_000;
    const ask = (text: string) => runSql(service, { sqlite: text, postgres: text });
    const [node] = (await ask(`select id from nodes where label = 'n1'`)) as { id: number }[];
    const lease = `${name}/${node?.id}`;
    await ask(`delete from leases where name = '${lease}'`);
    await ask(
      `insert into leases (name, holder, fence, expires_at) values ('${lease}', 'another process', 7, ${later})`,
    );
    const calls = obmd.calls.length;
    let isAnswered = false;
    const answer = (
      name === 'obm' ? alice.put('/node/n1/obm', { enabled: true }) : alice.get('/node/n1/console')
    ).finally(() => (isAnswered = true));
    await setTimeout(400);
    expect([obmd.calls.length, isAnswered]).toEqual([calls, false]);
    await ask(`update leases set expires_at = 0 where name = '${lease}'`);
    await eventually(() => (obmd.calls.length > calls ? true : undefined));
    if (name === 'obm') await done(answer);
    else await setObm(alice, false);
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

  it('a power status that comes after access was taken away is not told', async () => {
    const { alice, machine, obmd, service } = await makeEnabledRack(engine, { env: patient });
    const { opened, open } = gate();
    machine.fault = { kind: 'hang', until: opened, on: ['power_status'] };
    const asking = alice.get('/node/n1/power_status');
    await eventually(() => obmd.calls.find(({ path }) => path.endsWith('power_status')));
    await done(service.admin.post('/auth/basic/user/alice/remove_project', { project: 'red' }));
    open();
    expect(await asking).toMatchObject({ status: 401, body: { type: 'AuthorizationError' } });
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
