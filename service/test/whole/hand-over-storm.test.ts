import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, basic, type Client, clientOf } from '../support/http/http-client.ts';
import { startListener } from '../support/http/http-listener.ts';
import { type Killable, startKillable } from '../support/obm/killable-program.ts';
import { type EngineName, engines } from '../support/services/engines.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import { addNode, cleans } from '../support/services/gated-node.ts';
import { HandOverCallers, SiteWiper } from '../support/services/hand-over-load.ts';
import { type HandOverEvent, HandOverRecord } from '../support/services/hand-over-record.ts';
import { allEvents, MixedLoad, type Reachable } from '../support/services/mixed-load.ts';
import { labObmd } from '../support/services/obm-rack.ts';
import { adminPassword, startService } from '../support/services/service.ts';
import { done, eventually, makeProject } from '../support/services/world.ts';
import { effort, randomFrom, seed } from '../support/vitest/seed.ts';

interface Process extends Reachable {
  readonly program: Killable;
}

const projects = ['red', 'blue', 'green'];
const nodes = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];
const quota = 3;
const kills = 4 * effort;
const stepDeadlineSeconds = 3;
/** On an embedded database there is one process; on PostgreSQL another goes on when one is killed. */
const processesOn: Readonly<Record<EngineName, number>> = { sqlite: 1, postgres: 2 };

/** A gated site with free nodes, whose service is stopped. */
const makeSite = async (engine: EngineName) => {
  const listener = await startListener();
  const obmd = await labObmd();
  const service = await startService(engine, {
    ...cleans,
    CORRAL_ENGINE_LEASE: '0.5',
    CORRAL_PUBLIC_URL: 'http://corral.test',
    CORRAL_CLEANING_STEPS: `wipe webhook ${listener.url}`,
    CORRAL_CLEANING_STEP_DEADLINE: String(stepDeadlineSeconds),
  });
  onTestFinished(() => rm(service.dataDir, { recursive: true, force: true }));
  for (const project of projects) await makeProject(service, project);
  for (const node of nodes) await addNode({ service, obmd }, node);
  await done(service.admin.put('/quota/nodes', { limit: quota }));
  await service.stop();
  return { listener, obmd, env: service.env };
};

const begin = async (env: Readonly<Record<string, string>>): Promise<Process> => {
  const program = await startKillable('service', env);
  return { program, url: program.url, admin: clientOf(program.url, basic('admin', adminPassword)), isKilled: false };
};

describe.each(engines)('many callers at once, and processes that are killed, on %s', (engine) => {
  it(
    'no node is lost, of two projects, or given away before it is clean; claims are whole and in order',
    { timeout: 300_000 * effort },
    async () => {
      const random = randomFrom(seed);
      const { listener, obmd, env } = await makeSite(engine);
      const processes: Process[] = [];
      onTestFinished(async () => {
        for (const { program } of processes) await program.kill();
      });
      for (let index = 0; index < processesOn[engine]; index += 1) processes.push(await begin(env));
      const load = new MixedLoad(() => processes);
      const call = async (send: (admin: Client) => Promise<Answer>): Promise<Answer | null> => {
        while (processes.every(({ isKilled }) => isKilled)) await sleep(20);
        return load.call(send);
      };
      const wiper = new SiteWiper(call, random, 1_000 * stepDeadlineSeconds);
      wiper.listenAt(listener);
      const use = (node: string): void => obmd.machine(node).powerOn();
      const callers = new HandOverCallers({ call, random, nodes, use, mostClaimed: quota });

      const over = new AbortController();
      const tenants = [...projects, ...projects].map((project) => callers.tenant(project, over.signal));
      const all = Promise.all([...tenants, callers.operator(over.signal)]);
      try {
        for (let killed = 0; killed < kills; killed += 1) {
          // Some nodes come through between two kills; which step the others are at then is left to chance.
          const enough = wiper.believed + 3;
          await eventually(() => (wiper.believed >= enough ? true : undefined), 60_000);
          await sleep(random() * 700);
          const index = killed % processes.length;
          const victim = processes[index];
          if (victim === undefined) throw new Error('there is one process at least');
          victim.isKilled = true;
          await victim.program.kill();
          processes[index] = await begin(env);
        }
      } finally {
        over.abort();
        await all;
      }

      // Nobody wants anything any more, and the site repairs everything: every node is there again.
      const { admin } = load.target();
      await eventually(async () => {
        for (const project of projects) await callers.giveUp(project);
        await callers.retryAll();
        await wiper.finish(2 * nodes.length);
        const free = (await done(admin.get('/nodes/free'))).body as string[];
        return free.length === nodes.length ? true : undefined;
      }, 120_000);
      await wiper.idle();

      const record = new HandOverRecord(nodes, wiper.calledClean, { quota, recent: engine === 'postgres' ? 300 : 0 });
      record.read((await allEvents(admin)) as readonly HandOverEvent[]);
      expect([...record.wrongs, ...load.wrongs, ...callers.wrongs, ...wiper.wrongs]).toEqual([]);
      expect([...record.owners]).toEqual([]);
      const { served, claimed, ...others } = record.counts;
      expect(Math.min(served + claimed, ...Object.values(others)), JSON.stringify(record.counts)).toBeGreaterThan(0);
      for (const { program } of processes) await program.kill();
      await expectSound(env);
    },
  );
});
