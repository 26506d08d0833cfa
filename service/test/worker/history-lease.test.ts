import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemCaller } from '../../src/core/caller.ts';
import type { Dependencies } from '../../src/core/dependencies.ts';
import { createRequestContext, type RequestContext } from '../../src/core/request-context.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import type { Db } from '../../src/db/service-database.ts';
import { historyPruning } from '../../src/worker/history-pruning.ts';
import { type EngineName, engines, migratedPostgres } from '../support/services/engines.ts';
import { gate } from '../support/services/obm-rack.ts';

const day = 86_400_000;

const temporary = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'corral-history-lease-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

/** A database with two events of last week and one of today. */
const withOldEvents = async (engine: EngineName): Promise<Db> => {
  const db = await openDatabase(
    engine === 'sqlite'
      ? { engine, path: join(temporary(), 'corral.db') }
      : { engine, url: await migratedPostgres('corral', openDatabase), connections: 4 },
  );
  onTestFinished(() => db.close());
  const event = { caller: 'test', detail: '{}' };
  const old = Date.now() - 7 * day;
  await db.write((tx) =>
    tx
      .insertInto('events')
      .values([
        { ...event, at: old, type: 'old' },
        { ...event, at: old, type: 'old' },
        { ...event, at: Date.now(), type: 'new' },
      ])
      .execute(),
  );
  return db;
};

const typesIn = async (db: Db): Promise<string[]> =>
  (await db.read((tx) => tx.selectFrom('events').select('type').orderBy('id').execute())).map(({ type }) => type);

/** Another process has taken the lease, as after a sleep of this one. */
const steal = (db: Db): Promise<unknown> =>
  db.write((tx) =>
    tx
      .updateTable('leases')
      .set((set) => ({ holder: 'another process', fence: set('fence', '+', 1) }))
      .where('name', '=', 'history')
      .execute(),
  );

/** Runs the deletion once, and answers with what it reported. */
const pruneOnce = async (
  context: RequestContext,
  exportDir: string,
  step: () => void = () => undefined,
): Promise<string> => {
  const { opened: reported, open: report } = gate();
  let text = '';
  const log = pino({}, { write: (line: string) => (text += line) && report() });
  const task = historyPruning({ eventsMs: day, actionsMs: null, exportDir, heldMs: 0 }, context, log, step);
  task?.start();
  await reported;
  await task?.stop();
  return text;
};

describe.each(engines)('history that is deleted under a lease, on %s', (engine) => {
  it('goes while the lease is ours', async () => {
    const db = await withOldEvents(engine);
    const context = createRequestContext(db, {} as Dependencies, { caller: systemCaller, requestId: null });
    expect(await pruneOnce(context, temporary())).toContain('deleted expired events');
    expect(await typesIn(db)).toEqual(['new']);
  });

  it('stays when the lease passed to another process after the export', async () => {
    const db = await withOldEvents(engine);
    const context = createRequestContext(db, {} as Dependencies, { caller: systemCaller, requestId: null });
    let isExported = false;
    const overtaken: RequestContext = {
      ...context,
      write: async (work, options) => {
        if (isExported) await steal(db);
        return context.write(work, options);
      },
    };
    const text = await pruneOnce(overtaken, temporary(), () => (isExported = true));
    expect(isExported).toBe(true);
    expect(text).toContain('another process has taken over');
    expect(await typesIn(db)).toEqual(['old', 'old', 'new']);
  });

  it('is not exported by a process that knows that the lease is another’s', async () => {
    const db = await withOldEvents(engine);
    const context = createRequestContext(db, {} as Dependencies, { caller: systemCaller, requestId: null });
    const { opened: renewalFailed, open: failRenewal } = gate();
    let isTaken = false;
    let isStolen = false;
    const overtaken: RequestContext = {
      ...context,
      write: (work, options) => context.write(work, options).finally(() => (isTaken = true)),
      writeOutcome: (work, options) => {
        const isLate = isStolen;
        return context.writeOutcome(work, options).finally(() => isLate && failRenewal());
      },
      // The old events are read after the lease was lost, and a renewal has found that out.
      read: async (work) => {
        if (isTaken) {
          await steal(db);
          isStolen = true;
          await renewalFailed;
        }
        return context.read(work);
      },
    };
    const directory = temporary();
    expect(await pruneOnce(overtaken, directory)).toContain('another process has taken over');
    expect(readdirSync(directory)).toEqual([]);
    expect(await typesIn(db)).toEqual(['old', 'old', 'new']);
  });
});
