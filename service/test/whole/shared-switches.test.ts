import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { runSql } from '../support/services/run-sql.ts';
import { type Program, startProgram } from '../support/services/service-program.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { done, eventually, makeSwitch } from '../support/services/world.ts';

const switches = 40;

describe.runIf(engines.includes('postgres'))('workers on one PostgreSQL', () => {
  /** Longer than the test: whatever changes hands is given back, and not waited for. */
  const settings = {
    CORRAL_ROLE: 'worker',
    CORRAL_ENGINE_LEASE: '600',
    CORRAL_ENGINE_SWEEP: '2',
    CORRAL_ENGINE_SESSION_IDLE: '60',
    CORRAL_LOG_LEVEL: 'warn',
  };
  const startWorker = async ({ env }: Service): Promise<Program> => {
    const worker = await startProgram({ ...env, ...settings });
    onTestFinished(async () => {
      await worker.kill('SIGKILL');
    });
    return worker;
  };
  const heldBy = async (service: Service, { pid }: Program): Promise<number> => {
    const statement = `select count(*)::integer as held from leases
      where name like 'switch/%' and holder like '${pid}-%' and expires_at > 0`;
    const [row] = await runSql(service, { sqlite: statement, postgres: statement });
    return (row as { held: number }).held;
  };
  /** Waits until each of them has as many switches as this. */
  const untilHeld = (service: Service, expected: readonly (readonly [Program, number])[]): Promise<true> =>
    eventually(async () => {
      const held = await Promise.all(expected.map(([worker]) => heldBy(service, worker)));
      return held.every((count, index) => count === expected[index]?.[1]) ? true : undefined;
    });

  it('share switches evenly, also with one that joins and without one that stops', { timeout: 120_000 }, async () => {
    const service = await serviceForTest('postgres', { CORRAL_ROLE: 'api' });
    for (let index = 0; index < switches; index += 1) {
      await makeSwitch(service, `sw${index}`);
      await done(service.admin.put(`/switch/sw${index}/port/p0`));
    }
    // The first sweep of a switch would come after a minute.
    await runSql(service, { sqlite: '', postgres: 'update switches set sweep_at = 0' });
    const first = await startWorker(service);
    await untilHeld(service, [[first, switches]]);
    const second = await startWorker(service);
    await untilHeld(service, [
      [first, switches / 2],
      [second, switches / 2],
    ]);
    expect(await first.kill('SIGTERM')).toBe(0);
    await untilHeld(service, [[second, switches]]);
  });
});
