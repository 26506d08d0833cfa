import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { rawOf } from '@corral/base/db/bound-kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/open-service-database.ts';
import type { Db } from '../../src/db/service-database.ts';
import { listStatement } from '../../src/db/service-statement.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { type EngineName, engines, migratedPostgres } from '../support/services/engines.ts';

const openFor = async (engine: EngineName): Promise<Db> => {
  const directory = await dataDirectory('corral-sent-');
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const db = await openDatabase(
    engine === 'sqlite'
      ? { engine, path: join(directory, 'corral.db') }
      : { engine, url: await migratedPostgres('corral', openDatabase), connections: 2 },
  );
  onTestFinished(() => db.close());
  return db;
};

const labels = async (db: Db): Promise<string[]> =>
  (await db.read((tx) => tx.selectFrom('projects').select('label').orderBy('label').execute())).map(
    ({ label }) => label,
  );

const makeProject = `insert into projects (label) values ('red')`;

const renamed = listStatement((tx, names: readonly string[], { suffix }: { readonly suffix: string }) =>
  tx
    .updateTable('projects')
    .set({ label: sql<string>`label || ${suffix}` })
    .where('label', 'in', names),
);
const endingIn = listStatement((tx, names: readonly string[], { suffix }: { readonly suffix: string }) =>
  tx
    .selectFrom('projects')
    .select('id')
    .where(sql<string>`replace(label, ${suffix}, '')`, 'in', names)
    .where(sql<string>`replace(label, ${suffix}, '')`, '<>', sql.ref<string>('label')),
);
const restored = listStatement((tx, names: readonly string[], { suffix }: { readonly suffix: string }) =>
  tx
    .updateTable('projects')
    .set({ label: sql<string>`replace(label, ${suffix}, '')` })
    .where(sql<string>`replace(label, ${suffix}, '')`, 'in', names),
);

describe.each(engines)('a statement whose answer nobody waits for, on %s', (engine) => {
  it('is committed with the others', async () => {
    const db = await openFor(engine);
    await db.write(async (tx) => {
      await tx.selectFrom('projects').select('id').execute();
      await rawOf(tx).send(makeProject, [], 'all');
    });
    expect(await labels(db)).toEqual(['red']);
  });

  it('fails the whole transaction if it fails, with its own error', async () => {
    const db = await openFor(engine);
    const work = db.write(async (tx) => {
      await sql`insert into projects (label) values ('blue')`.execute(tx);
      await rawOf(tx).send(`insert into networks (label) values (null)`, [], 'all');
      await rawOf(tx).send(makeProject, [], 'all');
    });
    await expect(work).rejects.toThrow(/null/i);
    expect(await labels(db)).toEqual([]);
  });

  it('fails with its own error also if somebody waits for a statement after it', async () => {
    const db = await openFor(engine);
    const work = db.write(async (tx) => {
      await tx.selectFrom('projects').select('id').execute();
      await rawOf(tx).send(`insert into networks (label) values (null)`, [], 'all');
      await tx.selectFrom('projects').select('id').execute();
    });
    await expect(work).rejects.toThrow(/null/i);
  });

  it('may be the only one', async () => {
    const db = await openFor(engine);
    await db.write(async (tx) => rawOf(tx).send(makeProject, [], 'all'));
    expect(await labels(db)).toEqual(['red']);
  });

  it('is rolled back when the work throws after it', async () => {
    const db = await openFor(engine);
    const work = db.write(async (tx) => {
      await rawOf(tx).send(makeProject, [], 'all');
      throw new Error('thought better of it');
    });
    await expect(work).rejects.toThrow('thought better of it');
    expect(await labels(db)).toEqual([]);
    await db.write(async (tx) => rawOf(tx).send(makeProject, [], 'all'));
    expect(await labels(db)).toEqual(['red']);
  });

  it.each([1, 64, 65, 200])('may have a list of %i values', async (length) => {
    const db = await openFor(engine);
    const names = Array.from({ length: 201 }, (_, index) => `p${String(index).padStart(3, '0')}`);
    await db.write((tx) =>
      tx
        .insertInto('projects')
        .values(names.map((label) => ({ label })))
        .execute(),
    );
    const chosen = names.slice(0, length);
    // Twice: the second time its text is known.
    for (const suffix of ['x', 'y']) {
      await db.write((tx) => renamed.send(tx, chosen, { suffix }));
      expect(await db.read((tx) => endingIn.all(tx, chosen, { suffix }))).toHaveLength(length);
      await db.write((tx) => restored.send(tx, chosen, { suffix }));
    }
    expect(await labels(db)).toEqual(names);
  });
});
