import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDyingProgram } from '../support/services/dying-program.ts';
import { type EngineName, engines } from '../support/services/engines.ts';
import { runAdmin, runAdminSuccessfully } from '../support/services/run-admin.ts';
import { runSql } from '../support/services/run-sql.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { canMount, smallDisk } from '../support/services/small-disk.ts';
import { connect, done, eventually, makeNetwork, makeNode, makeProject, reserve } from '../support/services/world.ts';

interface Line {
  readonly id: number;
  readonly at: string;
  readonly type?: string;
  readonly projects?: readonly string[];
  readonly node?: string;
  readonly status?: string;
}

const temporary = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'corral-history-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

const filesOf = (directory: string, kind: string): string[] =>
  readdirSync(directory).filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.jsonl.gz'));

/** Every line that was written, file by file. */
const linesIn = (directory: string, kind: 'events' | 'actions'): Line[] =>
  filesOf(directory, kind).flatMap((name) =>
    gunzipSync(readFileSync(join(directory, name)))
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line),
  );

const everywhere = (service: Service, statement: string): Promise<unknown[]> =>
  runSql(service, { sqlite: statement, postgres: statement });

const idsOf = async (service: Service, table: 'events' | 'actions'): Promise<number[]> =>
  ((await everywhere(service, `select id from ${table} order by id`)) as { id: number | string }[]).map(({ id }) =>
    Number(id),
  );

const week = 7 * 86_400_000;
const keepsOneDay = { CORRAL_EVENTS_KEEP_DAYS: '1', CORRAL_ACTIONS_KEEP_DAYS: '1' };

/** A stopped service with a history of last week, and the newest event of today. */
const withOldHistory = async (engine: EngineName): Promise<Service> => {
  const service = await serviceForTest(engine);
  await makeProject(service, 'red');
  await makeNode(service, 'n1', ['eth0']);
  await reserve(service, 'red', 'n1');
  await makeNetwork(service, 'net', 'red');
  await connect(service, 'n1', 'eth0', 'net');
  await everywhere(service, `update events set at = at - ${week}`);
  await everywhere(service, `update actions set created_at = created_at - ${week}`);
  await makeProject(service, 'recent');
  return service;
};

const isPruned = (service: Service, old: readonly number[]) => async (): Promise<true | undefined> => {
  const left = new Set([...(await idsOf(service, 'events'))]);
  return old.some((id) => left.has(id)) || (await idsOf(service, 'actions')).length > 0 ? undefined : true;
};

describe.each(engines)('history that is exported on %s', (engine) => {
  it('is on the disk, line by line and for its owner only, before it is deleted', async () => {
    const service = await withOldHistory(engine);
    const directory = temporary();
    const events = await idsOf(service, 'events');
    const actions = await idsOf(service, 'actions');
    await service.stop();
    const again = await service.restart({ ...keepsOneDay, CORRAL_HISTORY_EXPORT_DIR: directory });
    onTestFinished(again.stop);
    const old = events.slice(0, -1);
    await eventually(isPruned(again, old));
    const written = linesIn(directory, 'events');
    expect(written.map(({ id }) => id)).toEqual(old);
    expect(linesIn(directory, 'actions')).toEqual([
      expect.objectContaining({ id: actions[0], node: 'n1', nic: 'eth0', kind: 'connect', status: 'DONE' }),
    ]);
    const reserved = written.find(({ type }) => type === 'project_connect_node');
    expect(reserved).toMatchObject({ project: 'red', node: 'n1', caller: 'admin', projects: ['red'] });
    for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory).filter((name) => name.endsWith('.new'))).toEqual([]);
    // What goes on from a deleted id still goes on: with what is there, and the next.
    const after = await done(again.admin.get(`/events?after=${old[0] ?? 0}&limit=10`));
    expect((after.body as { events: Line[] }).events.map(({ id }) => id)).toContain(events.at(-1));
  });

  it('stays in the database while it cannot be written', async () => {
    const service = await withOldHistory(engine);
    const directory = join(temporary(), 'later');
    // Somebody put a file where the directory is to be; root may write to read-only directories.
    writeFileSync(directory, '');
    const events = await idsOf(service, 'events');
    const actions = await idsOf(service, 'actions');
    await service.stop();
    const settings = { ...keepsOneDay, CORRAL_HISTORY_EXPORT_DIR: directory };
    const failing = await service.restart(settings);
    onTestFinished(failing.stop);
    await eventually(() => (failing.log.some((line) => line.includes('failed to delete expired')) ? true : undefined));
    await failing.stop();
    expect(await idsOf(failing, 'actions')).toEqual(actions);
    expect((await idsOf(failing, 'events')).slice(0, events.length)).toEqual(events);

    rmSync(directory);
    await mkdir(directory);
    const again = await service.restart(settings);
    onTestFinished(again.stop);
    await eventually(isPruned(again, events.slice(0, -1)));
    expect(linesIn(directory, 'events').map(({ id }) => id)).toEqual(expect.arrayContaining(events.slice(0, -1)));
  });

  it('is written twice rather than never by a process that dies in between', { timeout: 60_000 }, async () => {
    const service = await withOldHistory(engine);
    const directory = temporary();
    const events = (await idsOf(service, 'events')).slice(0, -1);
    await service.stop();
    const settings = { ...keepsOneDay, CORRAL_HISTORY_EXPORT_DIR: directory };
    // A draft of one that died earlier.
    writeFileSync(join(directory, 'events-1-2.jsonl.gz.17.new'), 'half of i');
    const dying = await startDyingProgram({ ...service.env, ...settings }, 'history exported', 1);
    onTestFinished(() => dying.kill());
    expect(await dying.death).toBe('SIGKILL');
    const again = await service.restart(settings);
    onTestFinished(again.stop);
    expect(linesIn(directory, 'events').map(({ id }) => id)).toEqual(events);
    await eventually(isPruned(again, events), 30_000);
    const ids = linesIn(directory, 'events').map(({ id }) => id);
    expect(ids).toHaveLength(2 * events.length);
    expect([...new Set(ids)]).toEqual(events);
    expect(readdirSync(directory).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('can be written on demand, for a range of time, and deletes nothing', async () => {
    const service = await withOldHistory(engine);
    const directory = temporary();
    const events = await idsOf(service, 'events');
    await service.stop();
    const today = new Date(Date.now() - 86_400_000).toISOString();
    const output = await runAdminSuccessfully(service.env, 'export-history', directory, '--until', today);
    expect(output).toMatch(new RegExp(`^events +${events.length - 1} in 1 file$`, 'm'));
    expect(output).toMatch(/^actions +1 in 1 file$/m);
    expect(linesIn(directory, 'events').map(({ id }) => id)).toEqual(events.slice(0, -1));
    await runAdminSuccessfully(service.env, 'export-history', directory, '--since', today);
    expect(
      linesIn(directory, 'events')
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    ).toEqual(events);
    const refused = await runAdmin(service.env, 'export-history', directory, '--since', 'yesterday');
    expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('--since is "yesterday"') as string });
    const again = await service.restart();
    onTestFinished(again.stop);
    expect((await idsOf(again, 'events')).slice(0, events.length)).toEqual(events);
  });
});

describe.runIf(canMount)('history that is exported to a full disk', () => {
  it('stays in the database', async () => {
    const service = await withOldHistory('sqlite');
    const disk = await smallDisk(1);
    onTestFinished(disk.remove);
    disk.fill();
    const events = await idsOf(service, 'events');
    await service.stop();
    const again = await service.restart({ ...keepsOneDay, CORRAL_HISTORY_EXPORT_DIR: disk.directory });
    onTestFinished(again.stop);
    await eventually(() => (again.log.some((line) => line.includes('ENOSPC')) ? true : undefined));
    await again.stop();
    expect((await idsOf(again, 'events')).slice(0, events.length)).toEqual(events);
    expect(readdirSync(disk.directory)).toEqual(['ballast']);
  });
});
