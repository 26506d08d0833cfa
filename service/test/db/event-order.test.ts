import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemCaller } from '../../src/core/caller.ts';
import { createRequestContext } from '../../src/core/request-context.ts';
import type { Dependencies } from '../../src/core/dependencies.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { engines, migratedPostgres } from '../support/services/engines.ts';
import { gate } from '../support/services/obm-rack.ts';

describe.each(engines)('on %s', (engine) => {
  it('an event gets its number only when all with a smaller one are committed', async () => {
    const directory = await dataDirectory('corral-order-');
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const db = await openDatabase(
      engine === 'sqlite'
        ? { engine, path: join(directory, 'corral.db') }
        : { engine, url: await migratedPostgres('corral', openDatabase), connections: 2 },
    );
    onTestFinished(() => db.close());
    const installation = {} as Dependencies;
    const { opened: recorded, open: haveRecorded } = gate();
    const { opened: mayCommit, open: letCommit } = gate();
    const slow = {
      ...db,
      announce: async (...given: Parameters<typeof db.announce>) => {
        haveRecorded();
        await mayCommit;
        await db.announce(...given);
      },
    };
    const write = (through: typeof db, type: string) =>
      createRequestContext(through, installation, { caller: systemCaller, requestId: null }).write((op) => {
        op.record({ type, node: null });
        return Promise.resolve();
      });
    const committed: string[] = [];
    const first = write(slow, 'first').then(() => committed.push('first'));
    await recorded;
    const second = write(db, 'second').then(() => committed.push('second'));
    // Without the lock the second is long committed by then, with a greater number, and a reader misses the first.
    await Promise.race([second, setTimeout(300)]);
    letCommit();
    await Promise.all([first, second]);
    expect(committed).toEqual(['first', 'second']);
    const rows = await db.read((tx) => tx.selectFrom('events').select('type').orderBy('id').execute());
    expect(rows.map(({ type }) => type)).toEqual(['first', 'second']);
  });
});
