import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listEvents } from '../../src/core/audit.ts';
import { systemCaller } from '../../src/core/caller.ts';
import type { Dependencies } from '../../src/core/dependencies.ts';
import { createRequestContext } from '../../src/core/request-context.ts';
import { settledEvents } from '../../src/db/event-order.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import type { Db } from '../../src/db/service-database.ts';
import { follow } from '../support/http/event-stream.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { engines, migratedPostgres } from '../support/services/engines.ts';
import { startProgram } from '../support/services/service-program.ts';
import { adminPassword } from '../support/services/service.ts';
import { done, eventually } from '../support/services/world.ts';

/*
 * Many write on two processes at once, and many read on both, from different places and changing sides: nobody misses an
 * event, sees one twice, or sees another order. SQLite has one process.
 */

const last = 'the-last';

interface Seen {
  readonly id: number;
  readonly what: string;
}

/** What a reader saw, from the id that it began after, is what there is. */
const expectAll = (all: readonly Seen[], start: number, seen: readonly Seen[]): void => {
  expect(seen).toEqual(all.filter(({ id }) => id > start));
};

describe.each(engines)('a storm of events on %s', (engine) => {
  it('of transactions that commit in any order', async () => {
    const directory = await dataDirectory('corral-storm-');
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const url = engine === 'sqlite' ? '' : await migratedPostgres('corral', openDatabase);
    const open = (): Promise<Db> =>
      openDatabase(
        engine === 'sqlite' ? { engine, path: join(directory, 'corral.db') } : { engine, url, connections: 12 },
      );
    const first = await open();
    const sides = engine === 'sqlite' ? [first] : [first, await open()];
    onTestFinished(async () => {
      for (const side of sides) await side.close();
    });
    const at = (turn: number) =>
      createRequestContext(sides[turn % sides.length] ?? first, {} as Dependencies, {
        caller: systemCaller,
        requestId: null,
      });
    const write = (turn: number, label: string, count: number, pauseMs: number): Promise<void> =>
      at(turn).write(async (op) => {
        // Its number is given here, long before its ids or just before them.
        await op.tx.insertInto('projects').values({ label }).execute();
        if (pauseMs > 0) await sleep(pauseMs);
        for (let index = 0; index < count; index += 1) op.record({ type: `${label}/${index}` });
      });
    const read = async (turn: number, after: number): Promise<{ seen: Seen[]; settled: number }> => {
      const settled = await settledEvents(at(turn).query);
      const { events } = await at(turn).read((op) => listEvents(op, {}, { after, settled, limit: 10_000 }));
      return { seen: events.map(({ id, type }) => ({ id, what: type })), settled };
    };
    const reader = async (turn: number): Promise<Seen[]> => {
      const seen: Seen[] = [];
      for (let after = 0, side = turn; seen.at(-1)?.what !== `${last}/0`; side += 1) {
        const page = await read(side, after);
        seen.push(...page.seen);
        after = Math.max(after, page.settled);
        await sleep(turn % 3);
      }
      return seen;
    };
    const readers = Array.from({ length: 6 }, (_, turn) => reader(turn));
    const writer = async (turn: number): Promise<void> => {
      for (let count = 0; count < 25; count += 1) {
        await write(turn, `p-${turn}-${count}`, 1 + ((turn + count) % 3), (turn + 7 * count) % 11);
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, turn) => writer(turn)));
    await write(0, last, 1, 0);
    const { seen: all } = await read(0, 0);
    expect(all).toHaveLength(12 * 50 + 1);
    for (const seen of await Promise.all(readers)) expectAll(all, 0, seen);
  });

  it('of calls to the service', async () => {
    const directory = await dataDirectory('corral-storm-');
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const env = {
      CORRAL_PORT: '0',
      CORRAL_DATA_DIR: directory,
      CORRAL_ADMIN_PASSWORD: adminPassword,
      CORRAL_LOG_LEVEL: 'warn',
      ...(engine === 'postgres' ? { CORRAL_DATABASE_URL: await migratedPostgres('corral', openDatabase) } : {}),
    };
    const programs = [await startProgram(env)];
    if (engine === 'postgres') programs.push(await startProgram(env));
    onTestFinished(async () => {
      for (const program of programs) await program.kill('SIGTERM');
    });
    const urlAt = (turn: number): string => programs[turn % programs.length]?.url ?? '';
    const admin = (turn: number) => clientOf(urlAt(turn), basic('admin', adminPassword));
    for (const turn of programs.keys()) await done(admin(turn).get('/projects'));

    /** Reads some, hangs up, and goes on at the other process from the last event that it saw. */
    const reader = async (turn: number, start: number): Promise<Seen[]> => {
      const seen: Seen[] = [];
      for (let side = turn; seen.at(-1)?.what !== `project_create ${last}`; side += 1) {
        const stream = await follow(urlAt(side), 'admin', seen.at(-1)?.id ?? start);
        const enough = 5 + ((turn * 7 + side) % 20);
        await eventually(() => {
          const isOver = stream.events.some(({ project }) => project === last);
          return stream.events.length >= enough || isOver ? true : undefined;
        }, 120_000);
        await stream.close();
        seen.push(...stream.events.map(({ id, type, project }) => ({ id, what: `${type} ${project ?? ''}` })));
      }
      return seen;
    };
    await done(admin(0).put('/project/early'));
    const { body } = await done(admin(0).get('/events?limit=1'));
    const early = (body as { events: { id: number }[] }).events[0]?.id ?? 0;
    const starts = [0, early, 0, early];
    const readers = starts.map((start, turn) => reader(turn, start));
    const writer = async (turn: number): Promise<void> => {
      for (let count = 0; count < 12; count += 1) {
        await done(admin(turn).put(`/project/p-${turn}-${count}`));
        if (count % 3 === 0) await done(admin(turn + 1).del(`/project/p-${turn}-${count}`));
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, turn) => writer(turn)));
    await done(admin(1).put(`/project/${last}`));
    const listed = await done(admin(0).get('/events?after=0&limit=1000'));
    const all = (listed.body as { events: { id: number; type: string; project: string | null }[] }).events.map(
      ({ id, type, project }) => ({ id, what: `${type} ${project ?? ''}` }),
    );
    expect(all.filter(({ what }) => what.startsWith('project_create p-'))).toHaveLength(120);
    expect(all.filter(({ what }) => what.startsWith('project_delete'))).toHaveLength(40);
    for (const [turn, reading] of readers.entries()) expectAll(all, starts[turn] ?? 0, await reading);
  });
});
