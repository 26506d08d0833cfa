import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { accessTo } from '@corral/base/db/access';
import type { Holdings } from '@corral/base/db/holdings';
import { openDatabase } from '@corral/base/db/open';
import { holdings as obmdHoldings } from '@corral/obmd/db/open';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holdings } from '../../src/db/open.ts';
import { dataDirectory } from '../support/data-directory.ts';
import { type EngineName, engines, freshPostgres } from '../support/engines.ts';
import { expectedSchema } from './expected-schema.ts';
import { inWordsOf, schemaOf } from '../support/schema-of.ts';

const emptyDatabase = async (engine: EngineName, program: Holdings<string>) => {
  if (engine === 'postgres')
    return openDatabase<unknown, string>({ engine, url: await freshPostgres(), connections: 1 }, program);
  const directory = await dataDirectory('corral-schema-');
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return openDatabase<unknown, string>({ engine, path: join(directory, 'x.db') }, program);
};

describe.each(engines)('every table has its columns, keys, checks and indexes on %s', (engine) => {
  it.each([holdings, obmdHoldings] as readonly Holdings<string>[])('those of $name', async (program) => {
    const db = await emptyDatabase(engine, program);
    onTestFinished(() => db.close());
    await db.write(async (tx) => {
      const access = accessTo(engine, tx);
      for (const { name } of program.tables) {
        const expected = await inWordsOf(access, name, expectedSchema.get(name) ?? []);
        expect(await schemaOf(access, name), name).toEqual(expected);
      }
    });
  });
});
