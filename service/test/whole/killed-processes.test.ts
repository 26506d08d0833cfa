import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { engines } from '../support/services/engines.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import {
  allEvents,
  caughtUp,
  followAcross,
  makeLoadRack,
  MixedLoad,
  type Reachable,
} from '../support/services/mixed-load.ts';
import { runSql } from '../support/services/run-sql.ts';
import { type Killable, startKillable } from '../support/obm/killable-program.ts';
import { adminPassword, type Service, startService } from '../support/services/service.ts';
import { done, eventually } from '../support/services/world.ts';

/** How long processes are killed. CORRAL_KILL_SECONDS=300: a longer look, which has the machine to itself. */
const longer = process.env['CORRAL_KILL_SECONDS'];
const soakSeconds = Number(longer ?? '12');
/** A machine that does other things at the same time is slower. */
const takenOverWithinMs = longer === undefined ? { switches: 40_000, bmcs: 40_000 } : { switches: 5_000, bmcs: 9_000 };
const { leaseMs, pollMs } = loadConfig({}).engine;
const nodes = Array.from({ length: 6 }, (_, index) => `n${index}`);

interface Process extends Reachable {
  readonly program: Killable;
}

describe.runIf(engines.includes('postgres'))('two processes on one PostgreSQL, killed with -9 in turn', () => {
  let service: Service;
  const processes: Process[] = [];

  beforeAll(async () => {
    service = await startService('postgres', { CORRAL_OBMD: '127.0.0.1:0', CORRAL_VLANS: '100-3000' });
    await makeLoadRack(service.admin, nodes);
    await service.stop();
    processes.push(await begin(), await begin());
  });
  afterAll(async () => {
    for (const { program } of processes) await program.kill();
    await rm(service.dataDir, { recursive: true, force: true });
  });

  /** With the times that are set if nobody says otherwise: how soon others take over is part of the promise. */
  const begin = async (): Promise<Process> => {
    const program = await startKillable('service', {
      ...service.env,
      CORRAL_ENGINE_LEASE: String(leaseMs / 1_000),
      CORRAL_ENGINE_POLL: String(pollMs / 1_000),
      CORRAL_ENGINE_BUDGET: '60',
    });
    const admin = clientOf(program.url, basic('admin', adminPassword));
    await done(admin.get('/projects'));
    return { program, url: program.url, admin, isKilled: false };
  };
  const sql = (statement: string) => runSql(service, { sqlite: statement, postgres: statement });

  /** How long a change has waited for a switch that a dead process still has, in milliseconds; null: none waits. */
  const waitingSince = async ({ program }: Process, killedAt: number): Promise<number | null> => {
    const [row] = await sql(`select min(a.created_at)::float8 as since from actions a
      join nics n on n.id = a.nic_id join ports p on p.id = n.port_id
      join leases l on l.name = 'switch/' || p.switch_id
      where a.status = 'PENDING' and l.holder like '${program.pid}-%' and l.expires_at > 0`);
    const { since } = row as { since: number | null };
    return since === null ? null : Date.now() - Math.max(since, killedAt);
  };
  const hasBmcs = async ({ program }: Process): Promise<boolean> =>
    (await fetch(`${program.obmdUrl}/readyz`)).status === 200;

  /** Kills one, and tells how long changes waited for its switches, and how long the BMCs were nobody's. */
  const killOne = async (victim: Process, survivor: Process) => {
    const hadBmcs = await hasBmcs(victim);
    victim.isKilled = true;
    await victim.program.kill();
    const killedAt = Date.now();
    const takenMs = { switches: 0, bmcs: 0 };
    const untilTaken = eventually(async () => {
      const waitedMs = await waitingSince(victim, killedAt);
      takenMs.switches = Math.max(takenMs.switches, waitedMs ?? 0);
      return waitedMs === null && Date.now() - killedAt > leaseMs ? true : undefined;
    }, 40_000);
    const untilReady = eventually(async () => ((await hasBmcs(survivor)) ? true : undefined), 40_000).then(
      () => (takenMs.bmcs = hadBmcs ? Date.now() - killedAt : 0),
    );
    await Promise.all([untilTaken, untilReady]);
    return takenMs;
  };

  it(
    `${soakSeconds} s: only what was under way there fails, nothing is lost or doubled, the other takes over`,
    { timeout: soakSeconds * 1_000 + 120_000 },
    async () => {
      const load = new MixedLoad(() => processes);
      const over = new AbortController();
      const start = (await allEvents(load.target().admin)).at(-1)?.id ?? 0;
      const stream = followAcross(load, start);
      const tenants = Promise.all(nodes.map((node) => load.tenant(node, over.signal)));
      const slowest = { switches: 0, bmcs: 0 };
      const began = performance.now();
      let kills = 0;
      const say = (): void => {
        const { counts } = load;
        const told = Object.entries({
          kills,
          ...counts,
          resumptions: stream.resumptions(),
          events: stream.ids().length,
        });
        const taken = `taken over after ${Math.round(slowest.switches)} ms (switches), ${Math.round(slowest.bmcs)} ms (BMCs)`;
        process.stdout.write(`killed processes: ${told.map(([what, n]) => `${n} ${what}`).join(', ')}; ${taken}\n`);
      };
      try {
        for (; kills < 2 || performance.now() - began < soakSeconds * 1_000; kills += 1) {
          await sleep(500 + Math.random() * 1_000);
          const [victim, survivor] = kills % 2 === 0 ? [processes[0], processes[1]] : [processes[1], processes[0]];
          if (victim === undefined || survivor === undefined) throw new Error('there are two processes');
          const taken = await killOne(victim, survivor);
          slowest.switches = Math.max(slowest.switches, taken.switches);
          slowest.bmcs = Math.max(slowest.bmcs, taken.bmcs);
          processes[processes.indexOf(victim)] = await begin();
          if (kills % 10 === 9) say();
        }
        await sleep(300);
      } finally {
        over.abort();
        await tenants;
        say();
      }
      const { admin } = load.target();
      await caughtUp(admin, stream);
      await stream.stop();
      await load.expectNothingLost(admin, stream.ids());
      await expectSound(service.env);
      expect(load.counts.unavailable).toBe(0);
      expect(load.counts.connected).toBeGreaterThan(0);
      expect(slowest.switches).toBeLessThan(takenOverWithinMs.switches);
      expect(slowest.bmcs).toBeLessThan(takenOverWithinMs.bmcs);
    },
  );
});
