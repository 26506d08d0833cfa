import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteConnection } from '../../src/db/sqlite-connection.ts';
import { Statement } from '../../src/db/prepared-statement.ts';

interface Schema {
  readonly things: { readonly name: string; readonly value: string };
}

it('a statement that is asked for all rows and for the first one answers with the rows of its own values', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-first-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const connection = new SqliteConnection<Schema>(join(directory, 'file.db'), 'with others');
  onTestFinished(() => connection.close());
  connection.exec("create table things (name text, value text); insert into things values ('a', '1'), ('b', '2')");
  const valueOf = new Statement<Schema, { name: string }, { value: string }>(
    (tx, { name }) => tx.selectFrom('things').select('value').where('name', '=', name),
    false,
  );
  const { tx } = connection;
  expect(await valueOf.all(tx, { name: 'b' })).toMatchObject([{ value: '2' }]);
  expect(await valueOf.first(tx, { name: 'nobody' })).toBeUndefined();
  expect(await valueOf.all(tx, { name: 'b' })).toMatchObject([{ value: '2' }]);
  expect(await valueOf.first(tx, { name: 'a' })).toMatchObject({ value: '1' });
  connection.exec("insert into things values ('nobody', '3')");
  expect(await valueOf.first(tx, { name: 'nobody' })).toMatchObject({ value: '3' });
  expect(await valueOf.all(tx, { name: 'nobody' })).toMatchObject([{ value: '3' }]);
});
