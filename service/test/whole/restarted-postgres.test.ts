import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import {
  allEvents,
  caughtUp,
  followAcross,
  makeLoadRack,
  MixedLoad,
  type Reachable,
} from '../support/services/mixed-load.ts';
import { type RestartablePostgres, startRestartablePostgres } from '../support/services/restartable-postgres.ts';
import { type Service, startService } from '../support/services/service.ts';
import { eventually } from '../support/services/world.ts';

const nodes = ['n0', 'n1', 'n2', 'n3'];

describe.runIf(engines.includes('postgres'))('two processes whose PostgreSQL is restarted under load', () => {
  let postgres: RestartablePostgres;
  const services: Service[] = [];

  beforeAll(async () => {
    postgres = await startRestartablePostgres();
    const env = { CORRAL_DATABASE_URL: postgres.url, CORRAL_VLANS: '100-3000', CORRAL_ENGINE_BUDGET: '60' };
    const first = await startService('sqlite', env);
    services.push(first, await first.restart());
    await makeLoadRack(first.admin, nodes);
  });
  afterAll(async () => {
    for (const service of services) await service.stop();
    await postgres.remove();
    for (const { dataDir } of services) await rm(dataDir, { recursive: true, force: true });
  });

  const readiness = async (): Promise<number[]> =>
    Promise.all(services.map(async ({ url }) => (await fetch(`${url}/readyz`)).status));
  const untilReady = (): Promise<true> =>
    eventually(async () => ((await readiness()).every((status) => status === 200) ? true : undefined), 30_000);

  it('calls meanwhile get 503 and when to try again; then everything goes on, nothing lost or doubled', async () => {
    const load = new MixedLoad(() => services.map(({ url, admin }): Reachable => ({ url, admin, isKilled: false })));
    const over = new AbortController();
    const start = (await allEvents(load.target().admin)).at(-1)?.id ?? 0;
    const stream = followAcross(load, start);
    const tenants = Promise.all(nodes.map((node) => load.tenant(node, over.signal)));
    try {
      for (const mode of ['immediate', 'fast', 'immediate'] as const) {
        const { calls, connected } = load.counts;
        await eventually(() =>
          load.counts.connected > connected && load.counts.calls > calls + 50 ? true : undefined,
        );
        await postgres.stop(mode);
        await eventually(async () => ((await readiness()).every((status) => status === 503) ? true : undefined));
        const refused = load.counts.unavailable;
        await eventually(() => (load.counts.unavailable > refused + nodes.length ? true : undefined));
        await postgres.start();
        await untilReady();
      }
      const { connected } = load.counts;
      await eventually(() => (load.counts.connected > connected + nodes.length ? true : undefined));
    } finally {
      await untilReady();
      over.abort();
      await tenants;
    }
    const told = Object.entries({ ...load.counts, resumptions: stream.resumptions(), events: stream.ids().length });
    process.stdout.write(`restarted PostgreSQL: ${told.map(([what, n]) => `${n} ${what}`).join(', ')}\n`);
    const { admin } = load.target();
    await caughtUp(admin, stream);
    await stream.stop();
    await load.expectNothingLost(admin, stream.ids());
    await expectSound(services[0]?.env ?? {});
  });
});
