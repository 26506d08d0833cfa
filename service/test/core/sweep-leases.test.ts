import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { makeHeadnode } from '../support/headnodes/headnode-helpers.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done, eventually, makeProject } from '../support/services/world.ts';

const same = (statement: string) => ({ sqlite: statement, postgres: statement });

const leasesOf = async (service: Service): Promise<readonly unknown[]> =>
  (await runSql(service, same(`select name from leases where name like 'headnode/%' order by name`))).map(
    (row) => (row as { readonly name: string }).name,
  );

const setLease = (service: Service, name: unknown, expiresAt: number) =>
  runSql(
    service,
    same(`insert into leases (name, holder, fence, expires_at) values ('${String(name)}', 'asleep', 9, ${expiresAt})
      on conflict (name) do update set expires_at = excluded.expires_at`),
  );

describe.each(engines)('leases on %s', (engine) => {
  it('of what is deleted are deleted, unless somebody may still have them', async () => {
    const first = await serviceForTest(engine);
    await makeProject(first, 'red');
    for (const label of ['kept', 'gone', 'held']) {
      await makeHeadnode(first, label, 'red');
      await done(first.admin.post(`/headnode/${label}/start`));
    }
    const [kept, gone, held] = await leasesOf(first);
    await done(first.admin.post('/headnode/gone/stop'));
    await done(first.admin.del('/headnode/gone'));
    await done(first.admin.post('/headnode/held/stop'));
    await done(first.admin.del('/headnode/held'));
    await first.stop();
    // Whatever the first service has swept: one was given back, and the holder of the other one sleeps.
    await setLease(first, gone, 0);
    await setLease(first, held, Date.now());
    expect(await leasesOf(first)).toEqual([kept, gone, held]);

    const service = await first.restart();
    await eventually(async () => ((await leasesOf(service)).length === 3 ? undefined : true));
    expect(await leasesOf(service)).toEqual([kept, held]);
    await makeHeadnode(service, 'new', 'red');
    await done(service.admin.post('/headnode/new/start'));
    expect(await leasesOf(service)).toEqual([kept, held, expect.any(String)]);
    await service.stop();
  });
});
