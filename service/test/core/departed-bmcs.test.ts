import { describe, expect, it, onTestFinished } from 'vitest';
import { startServiceWithDaemon } from '../support/obm/service-with-daemon.ts';
import { type EngineName, engines } from '../support/services/engines.ts';
import { runSql } from '../support/services/run-sql.ts';
import type { Service } from '../support/services/service.ts';
import { done, eventually, makeProject } from '../support/services/world.ts';

const mock = (addr: string) => ({ type: 'mock', info: { addr } });
const addressOf = (node: string) => `http://inside.invalid/node/${node}`;

/** A service with a daemon inside it, and nodes with BMCs. */
const site = async (engine: EngineName, ...nodes: string[]) => {
  const home = await startServiceWithDaemon(engine, 'inside', {
    CORRAL_OBMD_CALL_GAP: '0',
    CORRAL_OBM_TIMEOUT: '10',
  });
  onTestFinished(() => home.stop());
  const { service } = home;
  for (const node of nodes) {
    await done(service.admin.put(`/node/${node}`, {}));
    await done(service.admin.put(`/node/${node}/bmc`, mock(node)));
  }
  return { service, bmcs: () => bmcsIn(service) };
};

/** What the daemon has, past the service. */
const bmcsIn = async (service: Service): Promise<string[]> => {
  const rows = await inDaemon(service, 'select label from obmd_nodes order by label');
  return (rows as { label: string }[]).map(({ label }) => label);
};

const inDaemon = (service: Service, text: string) => runSql(service, { sqlite: text, postgres: text }, 'obmd.db');
const inService = (service: Service, text: string) => runSql(service, { sqlite: text, postgres: text });

const refuseDeletion = {
  sqlite: `create trigger disk_full before delete on nodes begin select raise(abort, 'disk full'); end`,
  postgres: `
    create function disk_full() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
    create trigger disk_full before delete on nodes for each row execute function disk_full()`,
};
const permitDeletion = { sqlite: 'drop trigger disk_full', postgres: 'drop trigger disk_full on nodes' };

describe.each(engines)('deleting a node whose BMC is in the daemon inside, on %s', (engine) => {
  it('that cannot be written down leaves the node its BMC, and can be repeated', async () => {
    const { service, bmcs } = await site(engine, 'n1');
    await runSql(service, refuseDeletion);
    expect((await service.admin.del('/node/n1')).status).toBe(500);
    expect((await done(service.admin.get('/node/n1/bmc'))).body).toEqual(mock('n1'));
    await runSql(service, permitDeletion);
    await done(service.admin.del('/node/n1'));
    expect(await bmcs()).toEqual([]);
  });

  it('while it is reserved, or deleted by another, leaves a node with its BMC or neither', async () => {
    const nodes = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];
    const { service, bmcs } = await site(engine, ...nodes);
    const { admin } = service;
    await makeProject(service, 'red');
    const left = await Promise.all(
      nodes.map(async (node) => {
        const [first, second, reserved] = await Promise.all([
          admin.del(`/node/${node}`),
          admin.del(`/node/${node}`),
          admin.post('/project/red/connect_node', { node }),
        ]);
        const deletions = [first.status, second.status].sort();
        expect(reserved.status === 200 ? [[409, 409]] : [[200, 404]]).toContainEqual(deletions);
        return reserved.status === 200 ? [node] : [];
      }),
    );
    expect(await bmcs()).toEqual(left.flat());
    expect((await done(admin.get('/nodes/all'))).body).toEqual(left.flat());
  });

  it('by a process that died after the node was gone is finished by the next', async () => {
    const { service, bmcs } = await site(engine, 'n1', 'n2');
    await service.stop();
    await inService(service, `delete from nodes where label = 'n1'`);
    await inService(service, `insert into departed_bmcs (obm_uri, node) values ('${addressOf('n1')}', 'n1')`);
    const next = await service.restart();
    onTestFinished(() => next.stop());
    await eventually(async () => ((await bmcs()).join() === 'n2' ? true : undefined));
    await eventually(async () => (await next.admin.put('/node/n1', {})).status === 200 || undefined);
    await done(next.admin.put('/node/n1/bmc', mock('n1')));
    expect(await bmcs()).toEqual(['n1', 'n2']);
  });

  it('keeps its address from the next node until the BMC is gone', async () => {
    const { service, bmcs } = await site(engine, 'n1', 'n2');
    const { admin } = service;
    // Another process is about to delete it.
    const later = Date.now() + 60_000;
    const lease = `bmc/${addressOf('n1')}`;
    await inService(
      service,
      `insert into leases (name, holder, fence, expires_at) values ('${lease}', 'another process', 7, ${later})`,
    );
    const deletion = admin.del('/node/n1');
    await eventually(async () => (await admin.get('/node/n1')).status === 404 || undefined);
    const refused = {
      status: 409,
      text: expect.stringContaining('the BMC of node n1, which was deleted, is still being deleted') as string,
    };
    expect(await admin.put('/node/n1', {})).toMatchObject(refused);
    const uri = `${service.obmdUrl}/node/n1`;
    expect(await admin.put('/node/n1', { obmd: { uri, admin_token: 'any' } })).toMatchObject(refused);
    expect(await admin.put('/node/n2/obmd', { uri, admin_token: 'any' })).toMatchObject(refused);
    expect(await bmcs()).toEqual(['n1', 'n2']);
    await inService(service, `update leases set expires_at = 0 where name = '${lease}'`);
    await done(deletion);
    expect(await bmcs()).toEqual(['n2']);
    await done(admin.put('/node/n1', {}));
  });

  it('leaves the BMC to another node with the same address', async () => {
    const { service, bmcs } = await site(engine, 'n1');
    const uri = `${service.obmdUrl}/node/n1/`;
    await done(service.admin.put('/node/other', { obmd: { uri, admin_token: 'any' } }));
    await done(service.admin.del('/node/other'));
    expect(await bmcs()).toEqual(['n1']);
    await done(service.admin.del('/node/n1'));
    expect(await bmcs()).toEqual([]);
  });
});
