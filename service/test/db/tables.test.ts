import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableAccess } from '@corral/base/db/table-access';
import type { ProgramTables } from '@corral/base/db/program-tables';
import { openDatabase } from '@corral/base/db/open-database';
import { programTables as obmdHoldings } from '@corral/obmd/db/open-obmd-database';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holdings } from '../../src/db/open-service-database.ts';

/** What `corral-admin` copies and backs up is everything. */
describe.each([holdings, obmdHoldings] as readonly ProgramTables<string>[])(
  'the list of tables of $name',
  (program) => {
    it('has every table, each after those that it refers to, by its key', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'corral-tables-'));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      const db = await openDatabase<unknown, string>({ engine: 'sqlite', path: join(directory, 'x.db') }, program);
      onTestFinished(() => db.close());
      await db.read(async (tx) => {
        const { all } = tableAccess('sqlite', tx);
        const made = await all(
          "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name <> ? order by name",
          [program.history],
        );
        const listed = program.tables.map(({ name }) => name);
        expect(listed.toSorted()).toEqual(made.map(({ name }) => name));
        for (const { name, key } of program.tables) {
          const columns = await all('select name from pragma_table_info(?) where pk > 0 order by pk', [name]);
          expect(key, name).toEqual(columns.map((column) => column['name']));
          const referred = await all('select "table" as name from pragma_foreign_key_list(?)', [name]);
          for (const other of referred) {
            expect(listed.indexOf(String(other['name'])), `${name} comes too early`).toBeLessThan(listed.indexOf(name));
          }
        }
      });
    });
  },
);
