import { describe, expect, it } from 'vitest';
import { basic, type Client, clientOf } from '../support/http/http-client.ts';
import { engines } from '../support/services/engines.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import { runSql } from '../support/services/run-sql.ts';
import { adminPassword, serviceForTest } from '../support/services/service.ts';
import { startProgram } from '../support/services/service-program.ts';
import { makeNode, makeProject } from '../support/services/world.ts';

const same = (statement: string) => ({ sqlite: statement, postgres: statement });
const nodes = ['n1', 'n2', 'n3', 'n4'];

/** Reserves and releases one node until the service answers no more. Tells how often it was answered. */
const moveUntilDead = async (client: Client, node: string): Promise<number> => {
  for (let answered = 0; ; answered += 1) {
    const call = answered % 2 === 0 ? 'connect_node' : 'detach_node';
    try {
      await client.post(`/project/red/${call}`, { node });
    } catch {
      return answered;
    }
  }
};

describe.each(engines)('kill -9 between moves of nodes on %s', (engine) => {
  it('loses no usage, and counts none twice', { timeout: 120_000 }, async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    for (const node of nodes) await makeNode(service, node);
    await service.stop();
    for (let life = 0; life < 3; life += 1) {
      const program = await startProgram(service.env);
      const moving = nodes.map((node) => moveUntilDead(clientOf(program.url, basic('admin', adminPassword)), node));
      // In the middle of it: the first of them has been moved some times.
      const client = clientOf(program.url, basic('admin', adminPassword));
      const wanted = 12 + 5 * life;
      const eventsOf = async (): Promise<number> => {
        const { body } = await client.get('/events?type=project_connect_node&limit=1000');
        return (body as { events: unknown[] }).events.length;
      };
      const already = await eventsOf();
      while ((await eventsOf()) < already + wanted);
      await program.kill('SIGKILL');
      expect(Math.max(...(await Promise.all(moving)))).toBeGreaterThan(0);
      await expectSound(service.env);
      const told = await runSql(
        service,
        same(`select node, sum(case when type = 'project_connect_node' then 1 else 0 end) as begun,
          sum(case when type = 'project_detach_node' then 1 else 0 end) as ended
          from events where node is not null and type in ('project_connect_node', 'project_detach_node')
          group by node order by node`),
      );
      const counted = await runSql(
        service,
        same(`select node, count(*) as begun, count(until_at) as ended from usage_spans group by node order by node`),
      );
      const numbers = (rows: unknown[]) =>
        (rows as { node: string; begun: unknown; ended: unknown }[]).map(
          ({ node, begun, ended }) => `${node}: ${String(begun)}, ${String(ended)}`,
        );
      expect(numbers(counted)).toEqual(numbers(told));
      expect(counted.length).toBeGreaterThan(0);
    }
  });
});
