import { describe, expect, it, onTestFinished } from 'vitest';
import { type EngineName, engines } from '../support/services/engines.ts';
import { type Listener, startListener } from '../support/http/http-listener.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { enc, oddLabels, refusal } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done, eventually, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

interface Pool {
  readonly service: Service;
  readonly listener: Listener;
}

/** A service whose pool is the project `repair`, and the one who is told; project red exists. */
const makePool = async (engine: EngineName): Promise<Pool> => {
  const listener = await startListener();
  const service = await serviceForTest(engine, {
    CORRAL_MAINTENANCE_PROJECT: 'repair',
    CORRAL_MAINTENANCE_URL: listener.url,
  });
  await makeProject(service, 'red');
  return { service, listener };
};

/** A node that was in project red and left it. */
const leave = async (service: Service, node: string): Promise<void> => {
  await makeNode(service, enc(node));
  await reserve(service, 'red', node);
  await done(service.admin.post('/project/red/detach_node', { node }));
};

const waiting = (service: Service) => {
  const all = 'select node, attempts, retry_at from notifications order by id';
  return runSql(service, { sqlite: all, postgres: all }) as Promise<
    { node: string; attempts: number; retry_at: number | string }[]
  >;
};

/** Waits until nobody has to be told anything any more. */
const allTold = (service: Service) =>
  eventually(async () => ((await waiting(service)).length === 0 ? true : undefined));

const nodesTold = ({ heard }: Listener) =>
  heard.filter(({ answered }) => answered === 200).map(({ body }) => (body as { node: string }).node);

describe.each(engines)('the maintenance pool on %s', (engine) => {
  it('has its project from the start, and the same one after a restart', async () => {
    const { service } = await makePool(engine);
    expect((await service.admin.get('/projects')).body).toEqual(['red', 'repair']);
    await makeNode(service, 'n1');
    await reserve(service, 'repair', 'n1');
    await service.stop();
    const again = await replicaOf(service);
    expect((await again.admin.get('/project/repair/nodes')).body).toEqual(['n1']);
  });

  it('gets a node that leaves any other project, and its service is notified', async () => {
    const { service, listener } = await makePool(engine);
    await makeNode(service, 'n1');
    await reserve(service, 'red', 'n1');
    const member = await makeUser(service, 'alice', 'red');
    const answer = await member.post('/project/red/detach_node', { node: 'n1' });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect((await service.admin.get('/node/n1')).body).toMatchObject({ project: 'repair' });
    expect((await service.anonymous.get('/nodes/free')).body).toEqual([]);
    await allTold(service);
    expect(listener.heard).toEqual([
      {
        method: 'POST',
        path: '/nodes/arrived',
        contentType: 'application/json',
        body: { node: 'n1' },
        answered: 200,
      },
    ]);
  });

  it('lets go of a node that leaves it: the node is free, and no notification is sent', async () => {
    const { service, listener } = await makePool(engine);
    await leave(service, 'n1');
    await allTold(service);
    await done(service.admin.post('/project/repair/detach_node', { node: 'n1' }));
    expect((await service.anonymous.get('/node/n1')).body).toMatchObject({ project: null });
    expect(await waiting(service)).toEqual([]);
    expect(nodesTold(listener)).toEqual(['n1']);
    await reserve(service, 'red', 'n1');
  });

  it('is notified again after failures, until it confirms, and then no more', async () => {
    const { service, listener } = await makePool(engine);
    const reactions = [500, 'drop', 302] as const;
    listener.react = () => reactions[listener.heard.length] ?? 200;
    await leave(service, 'n1');
    await allTold(service);
    expect(listener.heard.map(({ answered }) => answered)).toEqual([...reactions, 200]);
    expect(listener.heard.map(({ body }) => body)).toEqual(Array.from({ length: 4 }, () => ({ node: 'n1' })));
  });

  it('is asked ever less often while it fails', async () => {
    const { service, listener } = await makePool(engine);
    listener.react = () => 500;
    await leave(service, 'n1');
    const tried = (times: number) =>
      eventually(async () => (await waiting(service)).find(({ attempts }) => attempts === times));
    const pauseOf = ({ retry_at }: { retry_at: number | string }) => Number(retry_at) - Date.now();
    expect(pauseOf(await tried(1))).toBeLessThanOrEqual(500);
    const later = 'update notifications set attempts = 8, retry_at = 0';
    await runSql(service, { sqlite: later, postgres: later });
    expect(pauseOf(await tried(9))).toBeGreaterThan(60_000);
    const muchLater = 'update notifications set attempts = 1000, retry_at = 0';
    await runSql(service, { sqlite: muchLater, postgres: muchLater });
    expect(pauseOf(await tried(1001))).toBeLessThanOrEqual(10 * 60_000);
  });

  it('is notified of the others while one of them fails', async () => {
    const { service, listener } = await makePool(engine);
    listener.react = (body) => ((body as { node: string }).node === 'bad' ? 500 : 200);
    for (const node of ['bad', 'good-1', 'good-2']) await leave(service, node);
    await eventually(() => (nodesTold(listener).length === 2 ? true : undefined));
    expect(nodesTold(listener)).toEqual(['good-1', 'good-2']);
    listener.react = () => 200;
    await allTold(service);
  });

  it('is notified after a restart of what failed before', async () => {
    const { service, listener } = await makePool(engine);
    listener.react = () => 503;
    for (const node of ['n1', 'n2']) await leave(service, node);
    await eventually(() => (listener.heard.length > 0 ? true : undefined));
    await service.stop();
    expect(nodesTold(listener)).toEqual([]);
    listener.react = () => 200;
    const again = await replicaOf(service);
    await allTold(again);
    expect(nodesTold(listener).sort()).toEqual(['n1', 'n2']);
  });

  it('delays and fails no call, be its service silent or gone', async () => {
    const { service, listener } = await makePool(engine);
    listener.react = () => 'hang';
    const started = performance.now();
    await leave(service, 'n1');
    await eventually(() => (listener.heard.length > 0 ? true : undefined));
    await leave(service, 'n2');
    // One attempt may last ten seconds.
    expect(performance.now() - started).toBeLessThan(8_000);
    expect((await service.admin.get('/project/repair/nodes')).body).toEqual(['n1', 'n2']);
    await service.stop();
    expect((await waiting(service)).map(({ node }) => node)).toEqual(['n1', 'n2']);
    const gone = await service.restart({ CORRAL_MAINTENANCE_URL: 'http://127.0.0.1:9/' });
    onTestFinished(() => gone.stop());
    await leave(gone, 'n3');
    expect((await gone.admin.get('/project/repair/nodes')).body).toEqual(['n1', 'n2', 'n3']);
  });

  it('is notified once by many replicas', async () => {
    const { service, listener } = await makePool(engine);
    const replica = await replicaOf(service);
    const nodes = Array.from({ length: 6 }, (_, index) => `n${index}`);
    for (const [index, node] of nodes.entries()) await leave(index % 2 === 0 ? service : replica, node);
    await allTold(service);
    expect(nodesTold(listener).sort()).toEqual(nodes);
  });

  it('is notified of nodes with any name', async () => {
    const { service, listener } = await makePool(engine);
    for (const { label } of oddLabels) await leave(service, label);
    await allTold(service);
    expect(nodesTold(listener).sort()).toEqual(oddLabels.map(({ label }) => label).sort());
  });

  it('is in use: its project cannot be deleted', async () => {
    const { service } = await makePool(engine);
    expect(await refusal(service.admin.del('/project/repair'))).toBe('409 BlockedError');
  });

  it('is only there when it is configured: otherwise a node that leaves is free', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    await leave(service, 'n1');
    expect((await service.anonymous.get('/nodes/free')).body).toEqual(['n1']);
    expect(await waiting(service)).toEqual([]);
  });
});
