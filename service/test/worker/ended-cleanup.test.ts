import { rm } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { runSql } from '../support/services/run-sql.ts';
import { startService } from '../support/services/service.ts';
import { done, eventually, makeProject, obmd, reserve } from '../support/services/world.ts';

/** More than are deleted at once. */
const many = 2_500;

const tables = ['claims', 'releases'] as const;

describe.each(engines)('what ended long ago, on %s', (engine) => {
  it('is deleted, however much it is, and what ended lately is kept', async () => {
    const service = await startService(engine);
    onTestFinished(() => rm(service.dataDir, { recursive: true, force: true }));
    onTestFinished(() => service.stop());
    const { admin } = service;
    await makeProject(service, 'red');
    await done(admin.put('/node/n1', { obmd }));
    await reserve(service, 'red', 'n1');
    const { body } = await admin.post('/project/red/claim', { count: 1, wait: true });
    await done(admin.del(`/claim/${(body as { claim: string }).claim}`));
    await admin.post('/project/red/release', { nodes: ['n1'] });
    const releases = () => done(admin.get('/project/red/releases'));
    await eventually(async () => JSON.stringify((await releases()).body).includes('"done"') || undefined);
    await service.stop();

    const sql = async (statement: string): Promise<unknown[]> => {
      const told = { sqlite: statement, postgres: statement };
      return runSql(service, told);
    };
    for (const table of tables) {
      const [row] = (await sql(`select * from ${table}`)) as Record<string, unknown>[];
      const columns = Object.keys(row ?? {}).filter((column) => column !== 'id');
      const copied = columns.map((column) =>
        column === 'label' ? `label || '-' || n` : column === 'ended_at' ? '1' : column,
      );
      await sql(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${many})
        insert into ${table} (${columns.join(', ')}) select ${copied.join(', ')} from ${table}, numbers`);
    }
    const left = async () => {
      const rows = await Promise.all(tables.map((table) => sql(`select count(*) as count from ${table}`)));
      return rows.map(([row]) => Number((row as { count: unknown }).count));
    };
    expect(await left()).toEqual([many + 1, many + 1]);

    const again = await service.restart();
    onTestFinished(() => again.stop());
    await eventually(async () => ((await left()).every((count) => count === 1) ? true : undefined), 60_000);
  });
});
