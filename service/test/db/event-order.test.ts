import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { sql } from 'kysely';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allEventsAfter, listEvents } from '../../src/core/audit.ts';
import { systemCaller } from '../../src/core/caller.ts';
import { createRequestContext, type WriteOp } from '../../src/core/request-context.ts';
import type { Dependencies } from '../../src/core/dependencies.ts';
import { settledEvents, stateOfEvents, takeEventIds } from '../../src/db/event-order.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import type { Db } from '../../src/db/service-database.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { type EngineName, engines, migratedPostgres } from '../support/services/engines.ts';
import { eventually } from '../support/services/world.ts';
import { gate } from '../support/services/obm-rack.ts';

/** A database, and whatever a test does not want to wait for. */
const openFor = async (engine: EngineName): Promise<{ readonly db: Db; readonly url: string }> => {
  const directory = await dataDirectory('corral-order-');
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const url = engine === 'sqlite' ? '' : await migratedPostgres('corral', openDatabase);
  const db = await openDatabase(
    engine === 'sqlite' ? { engine, path: join(directory, 'corral.db') } : { engine, url, connections: 6 },
  );
  onTestFinished(() => db.close());
  return { db, url };
};

const contextOf = (db: Db) => createRequestContext(db, {} as Dependencies, { caller: systemCaller, requestId: null });

/** Records events of these types, after some work. */
const write = (db: Db, types: readonly string[], work: (op: WriteOp) => Promise<unknown> = () => Promise.resolve()) =>
  contextOf(db).write(async (op) => {
    await work(op);
    for (const type of types) op.record({ type });
  });

/** A write that has written its events and does not commit until it may. */
const slowWrite = (db: Db, types: readonly string[], work?: (op: WriteOp) => Promise<unknown>) => {
  const { opened: recorded, open: haveRecorded } = gate();
  const { opened: mayCommit, open: letCommit } = gate();
  const paused: Db = {
    ...db,
    write: (inside, options) =>
      db.write(async (tx) => {
        const result = await inside(tx);
        // What was only sent so far is written when something after it is answered.
        await sql`select 1`.execute(tx);
        haveRecorded();
        await mayCommit;
        return result;
      }, options),
  };
  const committed = write(paused, types, work);
  return { recorded, letCommit, committed };
};

/** Follows the events as any client does: from the last one that it has seen. */
const follower = (db: Db) => {
  const seen: string[] = [];
  let after = 0;
  const look = async (): Promise<void> => {
    const upTo = await settledEvents(db.query);
    const { events } = await contextOf(db).read((op) => listEvents(op, {}, { after, settled: upTo, limit: 1000 }));
    seen.push(...events.map(({ type }) => type));
    after = Math.max(after, upTo);
  };
  return { seen, look };
};

/** Until no transaction keeps back what is committed: those of other databases of the same server do, for a while. */
const settled = (db: Db) => eventually(async () => (await allEventsAfter(contextOf(db), 0, 1)) ?? undefined);

const typesOf = (page: Awaited<ReturnType<typeof allEventsAfter>>) => page?.events.map(({ type }) => type);

describe.each(engines)('events on %s', (engine) => {
  it('one that is committed before an older one comes after it, and both come', async () => {
    const { db } = await openFor(engine);
    const { seen, look } = follower(db);
    const slow = slowWrite(db, ['first']);
    await slow.recorded;
    const second = write(db, ['second', 'third']);
    // On SQLite it waits; on PostgreSQL it is committed long before that.
    await Promise.race([second, setTimeout(300)]);
    await look();
    slow.letCommit();
    await Promise.all([slow.committed, second]);
    await look();
    expect(seen).toEqual(['first', 'second', 'third']);
  });

  it('what is committed between the two questions of one look is left to the next', async () => {
    const { db } = await openFor(engine);
    await write(db, ['first']);
    await settled(db);
    const queryPair: Db['queryPair'] = async (first, second) => {
      const before = await db.query(...first);
      await write(db, ['second', 'third']);
      return [before, await db.query(...second)];
    };
    // 'first' is settled, so no transaction can keep it back any more.
    const early = await allEventsAfter({ caller: systemCaller, queryPair }, 0, 10);
    expect(typesOf(early)).toEqual(['first']);
    expect(early?.next).toBeNull();
    await settled(db);
    const late = await allEventsAfter(contextOf(db), early?.settled ?? 0, 1);
    expect(typesOf(late)).toEqual(['second']);
    expect(typesOf(await allEventsAfter(contextOf(db), late?.next ?? 0, 1))).toEqual(['third']);
  });

  it('one look finds nothing while something that is committed is kept back', async () => {
    const { db } = await openFor(engine);
    const slow = slowWrite(db, ['first']);
    await slow.recorded;
    const second = write(db, ['second']);
    await Promise.race([second, setTimeout(300)]);
    const page = await allEventsAfter(contextOf(db), 0, 10);
    // On SQLite the second waits for the first.
    expect(page?.events.length ?? null).toBe(engine === 'postgres' ? null : 0);
    slow.letCommit();
    await Promise.all([slow.committed, second]);
    await settled(db);
    expect(typesOf(await allEventsAfter(contextOf(db), 0, 10))).toEqual(['first', 'second']);
  });

  it('whatever was acknowledged is in the next look', async () => {
    const { db } = await openFor(engine);
    const { seen, look } = follower(db);
    for (let count = 0; count < 20; count += 1) {
      await Promise.all([write(db, [`a${count}`]), write(db, [`b${count}`, `c${count}`])]);
      await look();
      expect(seen).toHaveLength(3 * (count + 1));
    }
    expect(new Set(seen).size).toBe(60);
  });

  it('the name of the state is another one after every commit', async () => {
    const { db } = await openFor(engine);
    await write(db, ['before']);
    const slow = slowWrite(db, ['first']);
    await slow.recorded;
    const names = [await stateOfEvents(db.query)];
    const second = write(db, ['second']);
    await Promise.race([second, setTimeout(300)]);
    if (engine === 'postgres') names.push(await stateOfEvents(db.query));
    slow.letCommit();
    await Promise.all([slow.committed, second]);
    names.push(await stateOfEvents(db.query));
    expect(new Set(names).size).toBe(names.length);
    // On a server with other databases, once none of their transactions is older.
    await eventually(async () =>
      (await stateOfEvents(db.query)) === (await stateOfEvents(db.query)) ? true : undefined,
    );
  });
});

describe.runIf(engines.includes('postgres'))('events on postgres', () => {
  const begun = async (url: string, application: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url, application_name: application });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('begin');
    await client.query('select pg_current_xact_id()');
  };

  it('a transaction that began earlier does not stand for one that took its id earlier', async () => {
    const { db } = await openFor('postgres');
    const { seen, look } = follower(db);
    const { opened: hasNumber, open: tellNumber } = gate();
    const { opened: mayRecord, open: letRecord } = gate();
    const older = write(db, ['second'], async ({ tx }) => {
      await sql`select pg_current_xact_id()`.execute(tx);
      tellNumber();
      await mayRecord;
    });
    await hasNumber;
    const younger = slowWrite(db, ['first']);
    await younger.recorded;
    letRecord();
    await older;
    await look();
    younger.letCommit();
    await younger.committed;
    await look();
    expect(seen).toEqual(['first', 'second']);
  });

  it('ids that were taken for several events keep the others back until they are written', async () => {
    const { db } = await openFor('postgres');
    const { seen, look } = follower(db);
    await write(db, ['earlier']);
    const { opened: taken, open: haveTaken } = gate();
    const { opened: mayGoOn, open: letGoOn } = gate();
    const slow = db.write(async (tx) => {
      const ids = await takeEventIds(tx, 2);
      haveTaken();
      await mayGoOn;
      for (const id of ids ?? []) {
        await sql`insert into events (id, at, type, caller, detail) overriding system value
          values (${id}, 0, ${`slow ${id}`}, 'test', '{}')`.execute(tx);
      }
      return ids;
    });
    await taken;
    await write(db, ['later']);
    await look();
    letGoOn();
    const [one = 0, two = 0] = (await slow) ?? [];
    await look();
    expect(seen).toEqual(['earlier', `slow ${one}`, `slow ${two}`, 'later']);
  });

  it.each([
    ['of another database', 'corral', (url: string) => url.replace(/\/[^/]*$/, '/postgres')],
    ['of another program', 'psql', (url: string) => url],
  ])('a transaction %s that never ends keeps nothing back', async (_, application, urlOf) => {
    const { db, url } = await openFor('postgres');
    const { seen, look } = follower(db);
    await begun(urlOf(url), application);
    await write(db, ['one']);
    await write(db, ['two', 'three']);
    await look();
    expect(seen).toEqual(['one', 'two', 'three']);
  });

  it('a stranger that never ends does not hide a transaction of our own', async () => {
    const { db, url } = await openFor('postgres');
    const { seen, look } = follower(db);
    await begun(url, 'psql');
    const slow = slowWrite(db, ['first']);
    await slow.recorded;
    await write(db, ['second']);
    await look();
    expect(seen).toEqual([]);
    slow.letCommit();
    await slow.committed;
    await look();
    expect(seen).toEqual(['first', 'second']);
  });
});
