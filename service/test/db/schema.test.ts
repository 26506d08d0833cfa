import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tableAccess } from '@corral/base/db/table-access';
import type { ProgramTables } from '@corral/base/db/program-tables';
import { openDatabase } from '@corral/base/db/open-database';
import { programTables as obmdHoldings } from '@corral/obmd/db/open-obmd-database';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holdings } from '../../src/db/open-service-database.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { type EngineName, engines, freshPostgres } from '../support/services/engines.ts';
import { expectedSchema } from './expected-schema.ts';
import { inWordsOf, schemaOf } from '../support/services/schema-of.ts';

const emptyDatabase = async (engine: EngineName, program: ProgramTables<string>) => {
  if (engine === 'postgres')
    return openDatabase<unknown, string>({ engine, url: await freshPostgres(), connections: 1 }, program);
  const directory = await dataDirectory('corral-schema-');
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return openDatabase<unknown, string>({ engine, path: join(directory, 'x.db') }, program);
};

describe.each(engines)('every table has its columns, keys, checks and indexes on %s', (engine) => {
  it.each([holdings, obmdHoldings] as readonly ProgramTables<string>[])('those of $name', async (program) => {
    const db = await emptyDatabase(engine, program);
    onTestFinished(() => db.close());
    await db.write(async (tx) => {
      const access = tableAccess(engine, tx);
      for (const { name } of program.tables) {
        const expected = await inWordsOf(access, name, expectedSchema.get(name) ?? []);
        expect(await schemaOf(access, name), name).toEqual(expected);
      }
    });
  });
});
