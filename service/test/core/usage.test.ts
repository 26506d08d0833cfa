import { startLabObmd } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Client } from '../support/http/http-client.ts';
import { engines } from '../support/services/engines.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { message, refusal } from '../support/services/shared-service.ts';
import { done, eventually, makeNode, makeProject, makeUser, obmd, reserve } from '../support/services/world.ts';

interface Row {
  readonly project?: string;
  readonly project_id?: number;
  readonly class?: string | null;
  readonly node?: string;
  readonly month?: string;
  readonly reserved_seconds: number;
  readonly powered_seconds: number;
}

const usage = async (client: Client, query = ''): Promise<{ rows: Row[]; next: number | null; to: string }> =>
  (await done(client.get(`/usage${query}`))).body as { rows: Row[]; next: number | null; to: string };

const release = (service: Service, project: string, node: string) =>
  done(service.admin.post(`/project/${project}/detach_node`, { node }));

/** Asks until an amount has grown. */
const grown = (ask: () => Promise<number>, from: number): Promise<number> =>
  eventually(async () => {
    const amount = await ask();
    return amount > from ? amount : undefined;
  });

describe.each(engines)('usage on %s', (engine) => {
  it('is counted from the reservation to the release', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    await makeNode(service, 'n1');
    expect((await usage(service.admin)).rows).toEqual([]);
    const times = [Date.now()];
    await reserve(service, 'red', 'n1');
    times.push(Date.now());
    await eventually(async () => ((await usage(service.admin)).rows.length > 0 ? true : undefined));
    times.push(Date.now());
    await release(service, 'red', 'n1');
    times.push(Date.now());
    const [asked = 0, reserved = 0, used = 0, released = 0] = times;
    const { rows } = await usage(service.admin, '?by=node');
    expect(rows).toEqual([{ node: 'n1', reserved_seconds: expect.any(Number) as number, powered_seconds: 0 }]);
    const ms = (rows[0]?.reserved_seconds ?? 0) * 1000;
    expect(ms).toBeGreaterThanOrEqual(used - reserved);
    expect(ms).toBeLessThanOrEqual(released - asked);
    expect((await usage(service.admin, `?from=${released}`)).rows).toEqual([]);
    expect((await usage(service.admin, `?from=0&to=${asked}`)).rows).toEqual([]);
    await expectSound(service.env);
  });

  it('goes on while the node is reserved, and is shown to those whose project it is', async () => {
    const service = await serviceForTest(engine);
    for (const project of ['red', 'blue']) await makeProject(service, project);
    const ada = await makeUser(service, 'ada', 'red');
    const eve = await makeUser(service, 'eve');
    for (const node of ['n1', 'n2']) await makeNode(service, node);
    await reserve(service, 'red', 'n1');
    await reserve(service, 'blue', 'n2');
    const reserved = async (): Promise<number> => (await usage(ada)).rows[0]?.reserved_seconds ?? 0;
    await grown(reserved, await grown(reserved, 0));
    expect((await usage(ada)).rows).toMatchObject([{ project: 'red', powered_seconds: 0 }]);
    expect((await usage(eve)).rows).toEqual([]);
    expect((await usage(service.admin)).rows.map(({ project }) => project)).toEqual(['blue', 'red']);
    expect(await refusal(service.anonymous.get('/usage'))).toBe('401 AuthorizationError');
    await expectSound(service.env);
  });

  it('counts a node as powered from turning it on until it is off or has left', async () => {
    const service = await serviceForTest(engine);
    const daemon = await startLabObmd({ adminToken: 'token', tickMs: 20 });
    onTestFinished(() => daemon.close());
    daemon.add('n1');
    await makeProject(service, 'red');
    await done(service.admin.put('/node/n1', { obmd: { uri: daemon.uri('n1'), admin_token: 'token' } }));
    const power = async (call: string): Promise<void> => {
      await done(service.admin.post(`/node/n1/${call}`, call === 'power_cycle' ? { force: true } : undefined));
    };
    const powered = async (): Promise<number> => (await usage(service.admin)).rows[0]?.powered_seconds ?? 0;
    await done(service.admin.put('/node/n1/obm', { enabled: true }));
    // A free node counts for nobody.
    await power('power_on');
    await reserve(service, 'red', 'n1');
    expect(await powered()).toBe(0);
    await power('power_cycle');
    await power('power_on');
    await grown(powered, await grown(powered, 0));
    await power('power_off');
    const after = await powered();
    expect(await powered()).toBe(after);
    await power('power_off');
    expect(await powered()).toBe(after);
    await power('power_on');
    await grown(powered, after);
    await done(service.admin.put('/node/n1/obm', { enabled: false }));
    await release(service, 'red', 'n1');
    const left = await powered();
    expect(left).toBeGreaterThan(after);
    expect(await powered()).toBe(left);
    const [row] = (await usage(service.admin)).rows;
    expect(row?.reserved_seconds).toBeGreaterThanOrEqual(left);
    await expectSound(service.env);
  });

  it('is of the class that the node had at the time', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    await done(service.admin.put('/node/n1', { obmd, metadata: { class: 'cpu' } }));
    await makeNode(service, 'n2');
    for (const node of ['n1', 'n2']) await reserve(service, 'red', node);
    await done(service.admin.put('/node/n1/metadata/class', { value: 'gpu' }));
    await done(service.admin.put('/node/n1/metadata/rack', { value: 'r1' }));
    const of = (name: string) => async (): Promise<number> =>
      (await usage(service.admin, '?by=class')).rows.find((row) => row.class === name)?.reserved_seconds ?? 0;
    const cpu = await of('cpu')();
    await grown(of('gpu'), await grown(of('gpu'), 0));
    expect(await of('cpu')()).toBe(cpu);
    expect((await usage(service.admin, '?by=class')).rows.map((row) => row.class)).toEqual([null, 'cpu', 'gpu']);
    await expectSound(service.env);
  });

  it('keeps projects and nodes that are deleted, and another project of the same name apart', async () => {
    const service = await serviceForTest(engine);
    for (const node of ['n1', 'n1']) {
      await makeProject(service, 'red');
      await makeNode(service, node);
      await reserve(service, 'red', node);
      await release(service, 'red', node);
      await done(service.admin.del(`/node/${node}`));
      await done(service.admin.del('/project/red'));
    }
    const rows = await eventually(async () => {
      const page = await usage(service.admin);
      return page.rows.length === 2 ? page.rows : undefined;
    });
    expect(rows.map(({ project }) => project)).toEqual(['red', 'red']);
    expect(new Set(rows.map(({ project_id }) => project_id)).size).toBe(2);
    await makeProject(service, 'red');
    const ada = await makeUser(service, 'ada', 'red');
    expect((await usage(ada)).rows).toEqual([]);
    expect((await usage(service.admin, '?by=node')).rows).toHaveLength(1);
  });

  it('goes to the maintenance pool with the node', async () => {
    const service = await serviceForTest(engine, {
      CORRAL_MAINTENANCE_PROJECT: 'workshop',
      CORRAL_MAINTENANCE_URL: 'http://127.0.0.1:9/',
      CORRAL_OUTBOUND_ALLOW: '127.0.0.0/8',
    });
    await makeProject(service, 'red');
    await makeNode(service, 'n1');
    await reserve(service, 'red', 'n1');
    await release(service, 'red', 'n1');
    const pool = async (): Promise<number> => (await usage(service.admin)).rows[1]?.reserved_seconds ?? 0;
    await grown(pool, 0);
    const first = await usage(service.admin);
    expect(first.rows.map(({ project }) => project)).toEqual(['red', 'workshop']);
    await release(service, 'workshop', 'n1');
    const second = await usage(service.admin);
    expect(second.rows[0]).toEqual(first.rows[0]);
    expect(await usage(service.admin)).toMatchObject({ rows: second.rows });
    await expectSound(service.env);
  });

  it('comes in pages, by what is asked for', async () => {
    const service = await serviceForTest(engine);
    for (const project of ['red', 'blue']) await makeProject(service, project);
    for (const node of ['n1', 'n2', 'n3']) await makeNode(service, node);
    await reserve(service, 'red', 'n1');
    await reserve(service, 'red', 'n2');
    await reserve(service, 'blue', 'n3');
    await eventually(async () => ((await usage(service.admin, '?by=node')).rows.length === 3 ? true : undefined));
    const all = await usage(service.admin, '?by=project,node,month');
    const month = all.to.slice(0, 7);
    expect(all.rows).toMatchObject([
      { project: 'blue', node: 'n3', month },
      { project: 'red', node: 'n1', month },
      { project: 'red', node: 'n2', month },
    ]);
    const { rows, next } = await usage(service.admin, `?by=project,node,month&limit=2&to=${all.to}`);
    expect([rows, next]).toEqual([all.rows.slice(0, 2), 2]);
    expect(await usage(service.admin, `?by=project,node,month&limit=2&after=2&to=${all.to}`)).toMatchObject({
      rows: all.rows.slice(2),
      next: null,
    });
    const future = await usage(service.admin, '?to=2999-01-01T00:00:00Z');
    expect(Date.parse(future.to)).toBeLessThanOrEqual(Date.now());
    expect(await message(service.admin.get('/usage?from=2999-01-01T00:00:00Z'))).toMatch(
      /later than "to", or than now/,
    );
    expect(await message(service.admin.get('/usage?from=then'))).toMatch(/"from" is not a time/);
    expect(await message(service.admin.get('/usage?from=0&by=month'))).toMatch(/240 months at most/);
    expect(await refusal(service.admin.get('/usage?by=user'))).toBe('400 ValidationError');
  });
});
