import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasPart } from '@corral/lab';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type MachineStep, machineSteps } from '../../src/drivers/hypervisors/libvirt/machine-steps.ts';
import { startDyingProgram } from '../support/services/dying-program.ts';
import { engines } from '../support/services/engines.ts';
import { type HeadnodeHost, startHeadnodeHost } from '../support/headnodes/headnode-host.ts';
import {
  leftoversOf,
  makeHeadnode,
  nothingLeft,
  type ShownHeadnode,
  showHeadnode,
} from '../support/headnodes/headnode-helpers.ts';
import { basic, type Client, clientOf } from '../support/http/http-client.ts';
import { startProgram } from '../support/services/service-program.ts';
import { adminPassword, type Service, startService } from '../support/services/service.ts';
import { refusal } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { type Undo, undoAll } from '../support/services/undo.ts';
import { done, eventually, makeProject } from '../support/services/world.ts';

/** A call that a process can die of: what there is before, what is asked for, and what must be so in the end. */
interface Work {
  /** The steps at which it is killed. */
  readonly reaches: readonly MachineStep[];
  prepare(world: World, headnode: ShownHeadnode): Promise<unknown>;
  ask(admin: Client): Promise<unknown>;
  check(world: World, headnode: ShownHeadnode): Promise<void>;
}

interface World {
  readonly service: Service;
  readonly host: HeadnodeHost;
}

const post = (call: string) => (admin: Client) => admin.post(`/headnode/h/${call}`);
const start = ({ service }: World): Promise<unknown> => done(service.admin.post('/headnode/h/start'));

const nothingOnLibvirt = async ({ service, host }: World): Promise<void> =>
  expect([await host.domains(), await host.volumes(), await leftoversOf(service)]).toEqual([[], [], nothingLeft]);

/** As if it had never been started: it can be changed, and started. */
const neverStarted = async (world: World, headnode: ShownHeadnode): Promise<void> => {
  const { service, host } = world;
  await nothingOnLibvirt(world);
  expect(await showHeadnode(service, 'h')).toEqual(headnode);
  await done(service.admin.put('/headnode/h/hnic/eth1'));
  await start(world);
  expect(await host.domains('--state-running')).toEqual([`headnode-${headnode.uuid}`]);
  expect((await showHeadnode(service, 'h')).vncport).toEqual(expect.any(Number));
};

const isStopped = async ({ service, host }: World, { uuid }: ShownHeadnode): Promise<void> => {
  expect(await host.domains('--state-running')).toEqual([]);
  expect(await host.domains('--autostart')).toEqual([]);
  expect(await host.domains()).toEqual([`headnode-${uuid}`]);
  expect((await showHeadnode(service, 'h')).vncport).toBeNull();
  await done(service.admin.post('/headnode/h/stop'));
  expect(await refusal(service.admin.post('/headnode/h/start'))).toBe('409 IllegalStateError');
};

const isDeleted = async (world: World): Promise<void> => {
  await nothingOnLibvirt(world);
  expect(await refusal(world.service.admin.get('/headnode/h'))).toBe('404 NotFoundError');
  await makeHeadnode(world.service, 'h', 'red');
};

/** What a process that died in the middle of a start left. */
const half = async (world: World): Promise<void> => {
  await start(world);
  const statement = 'update headnodes set making = 1';
  await runSql(world.service, { sqlite: statement, postgres: statement });
};

const works: Readonly<Record<string, Work>> = {
  'a start': {
    reaches: ['volume made', 'machine defined', 'autostart set', 'machine started'],
    prepare: () => Promise.resolve(),
    ask: post('start'),
    check: neverStarted,
  },
  'a start over the remains of another': {
    reaches: ['remains removed'],
    prepare: ({ host }, { uuid }) =>
      host.libvirt.virsh('vol-create-as', 'headnodes', `headnode-${uuid}-0.qcow2`, '1M', '--format', 'qcow2'),
    ask: post('start'),
    check: neverStarted,
  },
  'a stop': { reaches: ['autostart unset', 'machine stopped'], prepare: start, ask: post('stop'), check: isStopped },
  'a deletion': {
    reaches: ['machine stopped', 'machine undefined', 'volume deleted'],
    prepare: start,
    ask: (admin) => admin.del('/headnode/h'),
    check: isDeleted,
  },
  'the recovery of a start': {
    reaches: ['machine undefined'],
    prepare: half,
    ask: () => Promise.resolve(),
    check: neverStarted,
  },
};

it('every step is reached by some work', () => {
  // Bridges are made where there is an uplink for them.
  const reached = new Set<MachineStep>([...Object.values(works).flatMap(({ reaches }) => reaches), 'bridge made']);
  expect(reached).toEqual(new Set(machineSteps));
});

describe.skipIf(!hasPart('libvirt')).each(engines)('a service killed with -9 on %s', { timeout: 120_000 }, (engine) => {
  let service: Service;
  let host: HeadnodeHost;
  const undo: Undo = [];
  const world = (): World => ({ service, host });

  beforeAll(async () => {
    host = await startHeadnodeHost();
    undo.push(() => host.libvirt.stop());
    service = await startService(engine, host.env);
    undo.push(() => rm(service.dataDir, { recursive: true, force: true }));
    undo.push(() => service.stop());
    await makeProject(service, 'red');
  });
  afterAll(() => undoAll(undo));

  const sql = (statement: string) => runSql(service, { sqlite: statement, postgres: statement });
  /** The same service again, after it has put in order what it found. */
  const revive = async (): Promise<void> => {
    // The dead one's right to be alone at the headnode would end by itself, in some seconds.
    await sql('update leases set expires_at = 0');
    service = await service.restart();
    await eventually(async () => {
      const unfinished = await sql(`select label from headnodes where making = 1 or state = 'deleting'`);
      return unfinished.length === 0 ? true : undefined;
    });
  };
  /** Whatever became of the headnode, it can be deleted, and nothing is left of it. */
  afterEach(async () => {
    if ((await service.admin.get('/headnode/h')).status === 200) await done(service.admin.del('/headnode/h'));
    await nothingOnLibvirt(world());
  });
  /** The only one there is. */
  const freshHeadnode = async (): Promise<ShownHeadnode> => {
    await makeHeadnode(service, 'h', 'red', ['eth0']);
    return showHeadnode(service, 'h');
  };

  const cases = Object.entries(works).flatMap(([name, work]) =>
    work.reaches.map((step) => [name, step, work] as const),
  );
  it.each(cases)('in the middle of %s, at "%s": all is as before or as after', async (_name, step, work) => {
    const headnode = await freshHeadnode();
    await work.prepare(world(), headnode);
    await service.stop();

    const dying = await startDyingProgram(service.env, step, 1);
    onTestFinished(() => dying.kill());
    await work.ask(clientOf(dying.url, basic('admin', adminPassword))).catch(() => null);
    expect(await dying.death).toBe('SIGKILL');
    await revive();
    await work.check(world(), headnode);
  });

  const moments = (['start', 'stop', 'delete'] as const).flatMap((call) =>
    [1, 2].map((round) => [call, round] as const),
  );
  it.each(moments)('at any moment of a %s (%d): all is as before or as after', async (call) => {
    const headnode = await freshHeadnode();
    if (call !== 'start') await start(world());
    await service.stop();
    const program = await startProgram(service.env);
    onTestFinished(async () => {
      await program.kill('SIGKILL');
    });
    const admin = clientOf(program.url, basic('admin', adminPassword));
    const answer = (call === 'delete' ? admin.del('/headnode/h') : admin.post(`/headnode/h/${call}`)).catch(() => null);
    await Promise.race([answer, sleep(randomInt(600))]);
    await program.kill('SIGKILL');
    const wasTold = (await answer)?.status === 200;

    await revive();
    const now = await service.admin.get('/headnode/h');
    const isOn = (await host.domains('--state-running')).length === 1;
    if (call === 'delete') {
      if (wasTold) expect(now.status).toBe(404);
      if (now.status === 200) expect(isOn).toBe(true);
    } else {
      expect((now.body as ShownHeadnode).vncport !== null).toBe(isOn);
      expect(await host.domains('--autostart')).toEqual(isOn ? [`headnode-${headnode.uuid}`] : []);
      if (wasTold) expect(isOn).toBe(call === 'start');
      // What was asked for can be asked for again.
      await done(service.admin.post(`/headnode/h/${call}`));
      expect(await host.domains('--state-running')).toHaveLength(call === 'start' ? 1 : 0);
    }
    expect((await leftoversOf(service)).leftovers).toEqual([]);
  });
});
