import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { runSql } from '../support/services/run-sql.ts';
import { serviceForTest } from '../support/services/service.ts';
import { done, makeNetwork, makeNode, makeProject, reserve, settled } from '../support/services/world.ts';

describe.runIf(engines.includes('postgres'))('a worker on PostgreSQL', () => {
  it('does the work of another that keeps its seat and does nothing', async () => {
    const service = await serviceForTest('postgres');
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
    const nodes = ['n0', 'n1', 'n2', 'n3'];
    for (const node of nodes) {
      await makeNode(service, node, ['eth0'], `sw-${node}`);
      await reserve(service, 'red', node);
    }
    const sql = (statement: string) => runSql(service, { sqlite: statement, postgres: statement });
    const soon = 'extract(epoch from clock_timestamp()) * 1000 + 4000';
    await sql(`insert into leases (name, holder, fence, expires_at)
      select 'worker/' || seat, 'idle', 1, ${soon} from generate_series(60, 63) seat`);
    const renew = () => sql(`update leases set expires_at = ${soon} where holder = 'idle'`).catch(() => undefined);
    const renewal = setInterval(() => void renew(), 500);
    onTestFinished(() => clearInterval(renewal));
    const queued = [];
    for (const node of nodes)
      queued.push(await done(service.admin.post(`/node/${node}/nic/eth0/connect_network`, { network: 'net' })));
    for (const action of queued) expect(await settled(service, action)).toMatchObject({ status: 'DONE' });
  });
});
