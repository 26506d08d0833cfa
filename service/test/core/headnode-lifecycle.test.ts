import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import {
  leftoversOf,
  makeHeadnode,
  makeLeftover,
  mockBehind,
  nothingLeft,
  redService,
  showHeadnode,
  startsOf,
} from '../support/headnodes/headnode-helpers.ts';
import type { Service } from '../support/services/service.ts';
import { message, refusal } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done, eventually, makeUser } from '../support/services/world.ts';

const noSuch = '404 NotFoundError';

const restarted = async (service: Service): Promise<Service> => {
  const again = await service.restart();
  onTestFinished(() => again.stop());
  return again;
};

/** What a process that died leaves in the row of every headnode. */
const leave = (service: Service, values: string): Promise<unknown> => {
  const statement = `update headnodes set ${values}`;
  return runSql(service, { sqlite: statement, postgres: statement });
};

/** Waits until nothing is half done any more. */
const inOrder = (service: Service): Promise<true> =>
  eventually(async () => {
    const statement = `select label from headnodes where making = 1 or state = 'deleting'`;
    return (await runSql(service, { sqlite: statement, postgres: statement })).length === 0 ? true : undefined;
  });

describe.each(engines)('a headnode that a dead process left half done, on %s', (engine) => {
  it.each(['with its machine', 'without a machine'])(
    'a start, %s: the headnode is as it was before, and nothing of it is on the hypervisor',
    async (what) => {
      const first = await redService(engine);
      const uuid = await makeHeadnode(first, 'h', 'red', ['eth0']);
      const before = await showHeadnode(first, 'h');
      await first.stop();
      await leave(first, `state = 'started', making = 1`);
      if (what === 'with its machine') await mockBehind(first).start({ uuid, image: 'base', hnics: [] });

      const service = await restarted(first);
      await inOrder(service);
      expect(await mockBehind(service).machines()).toEqual([]);
      expect(await showHeadnode(service, 'h')).toEqual(before);
      expect(await startsOf(service)).toBe(0);
      await done(service.admin.put('/headnode/h/hnic/eth1'));
      await done(service.admin.post('/headnode/h/start'));
      expect((await showHeadnode(service, 'h')).vncport).toEqual(expect.any(Number));
      expect(await startsOf(service)).toBe(1);
    },
  );

  it.each([
    ['with its machine', 0],
    ['without a machine', 0],
    ['with a machine that was half made', 1],
  ] as const)('a deletion, %s: it is deleted, and its label is free', async (what, making) => {
    const first = await redService(engine);
    const uuid = await makeHeadnode(first, 'h', 'red', ['eth0']);
    await done(first.admin.post('/headnode/h/start'));
    await first.stop();
    await leave(first, `state = 'deleting', making = ${making}`);
    if (what === 'without a machine') await mockBehind(first).remove(uuid);

    const service = await restarted(first);
    await inOrder(service);
    expect(await refusal(service.admin.get('/headnode/h'))).toBe(noSuch);
    expect(await mockBehind(service).machines()).toEqual([]);
    await makeHeadnode(service, 'h', 'red');
    expect(await showHeadnode(service, 'h')).toMatchObject({ hnics: [], vncport: null });
  });

  it.each(['that is on still', 'that is off already'])('a stop, of a machine %s: it is stopped', async (what) => {
    const first = await redService(engine);
    const uuid = await makeHeadnode(first, 'h', 'red', ['eth0']);
    await done(first.admin.post('/headnode/h/start'));
    await first.stop();
    await leave(first, `state = 'stopped', making = 1`);
    if (what === 'that is off already') await mockBehind(first).stop(uuid);

    const service = await restarted(first);
    await inOrder(service);
    expect(await mockBehind(service).vnc(uuid)).toBeNull();
    expect((await showHeadnode(service, 'h')).vncport).toBeNull();
    expect(await refusal(service.admin.post('/headnode/h/start'))).toBe('409 IllegalStateError');
    await done(service.admin.post('/headnode/h/stop'));
    expect((await done(service.admin.get('/events?type=headnode_stop'))).body).toMatchObject({
      events: [{ headnode: 'h', project: 'red' }],
    });
  });

  it('while the hypervisor fails it stays as it is; the next start finishes it', async () => {
    const first = await redService(engine);
    const uuid = await makeHeadnode(first, 'h', 'red', ['eth0']);
    await first.stop();
    await leave(first, `state = 'started', making = 1`);
    await mockBehind(first).start({ uuid, image: 'base', hnics: [] });
    const obstacle = join(first.dataDir, 'mock-hypervisor.json.new');
    await mkdir(obstacle);

    const service = await restarted(first);
    const { admin } = service;
    await eventually(() =>
      service.log.some((line) => line.includes('failed to recover unfinished headnode')) ? true : undefined,
    );
    expect(await refusal(admin.post('/headnode/h/stop'))).toBe('409 BlockedError');
    expect(await refusal(admin.get('/headnode/h/vnc'))).toBe('409 IllegalStateError');
    expect(await refusal(admin.del('/headnode/h/hnic/eth0'))).toBe('409 IllegalStateError');
    expect(await refusal(admin.post('/headnode/h/start'))).toBe('502 HypervisorError');
    await rmdir(obstacle);
    await done(admin.post('/headnode/h/start'));
    expect((await showHeadnode(service, 'h')).vncport).toEqual(expect.any(Number));
    await done(admin.post('/headnode/h/stop'));
    await done(admin.del('/headnode/h'));
    expect(await leftoversOf(service)).toEqual(nothingLeft);
  });

  it('while the hypervisor fails it stays as it is; the next delete finishes it', async () => {
    const first = await redService(engine);
    const uuid = await makeHeadnode(first, 'h', 'red');
    await first.stop();
    await leave(first, `state = 'started', making = 1`);
    await mockBehind(first).start({ uuid, image: 'base', hnics: [] });
    const obstacle = join(first.dataDir, 'mock-hypervisor.json.new');
    await mkdir(obstacle);

    const service = await restarted(first);
    await eventually(() =>
      service.log.some((line) => line.includes('failed to recover unfinished headnode')) ? true : undefined,
    );
    await rmdir(obstacle);
    await done(service.admin.del('/headnode/h'));
    expect(await refusal(service.admin.get('/headnode/h'))).toBe(noSuch);
    expect(await leftoversOf(service)).toEqual(nothingLeft);
  });
});

describe.each(engines)('machines that no headnode is recorded for, on %s', (engine) => {
  it('are drift, and an administrator removes them', async () => {
    const service = await redService(engine);
    const { admin } = service;
    const kept = await makeHeadnode(service, 'h', 'red');
    await done(admin.post('/headnode/h/start'));
    expect(await leftoversOf(service)).toEqual(nothingLeft);
    const uuids = [await makeLeftover(service), await makeLeftover(service)].sort();
    expect(await leftoversOf(service)).toEqual({ leftovers: uuids, fault: null });

    const [first = '', second = ''] = uuids;
    const answer = await admin.del(`/headnode_leftover/${first}`);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await leftoversOf(service)).toEqual({ leftovers: [second], fault: null });
    expect((await mockBehind(service).machines()).toSorted()).toEqual([kept, second].sort());
    expect((await done(admin.get('/events?type=headnode_delete_leftover'))).body).toMatchObject({
      events: [{ caller: 'admin', project: null, detail: { uuid: first } }],
    });
    expect(await refusal(admin.del(`/headnode_leftover/${first}`))).toBe(noSuch);
  });

  it('are not the machines of headnodes, nor what is not there', async () => {
    const service = await redService(engine);
    const { admin } = service;
    const uuid = await makeHeadnode(service, 'h', 'red');
    for (const started of [false, true]) {
      if (started) await done(admin.post('/headnode/h/start'));
      const answer = admin.del(`/headnode_leftover/${uuid}`);
      expect(await refusal(answer)).toBe('409 BlockedError');
      expect(await message(answer)).toContain('headnode h');
    }
    expect((await showHeadnode(service, 'h')).vncport).toEqual(expect.any(Number));
    for (const other of ['none', 'a b;c', uuid.toUpperCase()]) {
      expect(await refusal(admin.del(`/headnode_leftover/${other}`))).toBe(noSuch);
    }
  });

  it('are for administrators only', async () => {
    const service = await redService(engine);
    const uuid = await makeLeftover(service);
    const alice = await makeUser(service, 'alice', 'red');
    for (const client of [alice, service.anonymous]) {
      for (const one of [uuid, 'none']) {
        expect(await refusal(client.del(`/headnode_leftover/${one}`))).toBe('401 AuthorizationError');
      }
      expect(await refusal(client.get('/drift'))).toBe('401 AuthorizationError');
    }
    expect((await leftoversOf(service)).leftovers).toEqual([uuid]);
  });
});
