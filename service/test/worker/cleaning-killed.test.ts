import { rm } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cleaningMoments } from '../../src/worker/cleaning-moments.ts';
import { startDyingProgram } from '../support/services/dying-program.ts';
import { engines } from '../support/services/engines.ts';
import { addNode, cleaningThat, cleans, ended, freeNodes } from '../support/services/gated-node.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { startListener } from '../support/http/http-listener.ts';
import { labObmd } from '../support/services/obm-rack.ts';
import { adminPassword, startService } from '../support/services/service.ts';
import { done, eventually, makeProject, reserve } from '../support/services/world.ts';

interface Order {
  readonly cleaning: string;
  readonly step: string;
  readonly token: string;
}

/** How often each moment is reached: there are several steps, and all of them have to survive. */
const cases = cleaningMoments.flatMap((moment) =>
  (moment === 'cleaning step begun' || moment === 'cleaning step settled' ? [1, 2, 4, 5] : [1]).map(
    (times) => [moment, times] as const,
  ),
);

describe.each(engines)('a process that is killed while it cleans a node, on %s', (engine) => {
  it.each(cases)(
    'at "%s", reached %i times: the next one brings the node to its end, and nobody gets it before',
    async (moment, times) => {
      const obmd = await labObmd();
      const listener = await startListener();
      const service = await startService(engine, {
        ...cleans,
        CORRAL_ENGINE_LEASE: '0.5',
        CORRAL_PUBLIC_URL: 'http://corral.test',
        CORRAL_CLEANING_STEPS: `wipe webhook ${listener.url}`,
      });
      onTestFinished(() => rm(service.dataDir, { recursive: true, force: true }));
      onTestFinished(() => service.stop());
      await makeProject(service, 'red');
      const machine = await addNode({ service, obmd }, 'n1');
      await reserve(service, 'red', 'n1');
      await service.stop();

      const dying = await startDyingProgram(service.env, moment, times);
      onTestFinished(() => dying.kill());
      const admin = clientOf(dying.url, basic('admin', adminPassword));
      await admin.post('/project/red/detach_node', { node: 'n1' }).catch(() => null);
      /** Reports for what was ordered last, to the process that is there. */
      const report = (client: typeof admin) => {
        const order = listener.heard.at(-1)?.body as Order | undefined;
        if (order === undefined) return Promise.resolve(null);
        const { cleaning, step, token } = order;
        return client.post(`/cleaning/${cleaning}/result`, { step, token, outcome: 'clean' }).catch(() => null);
      };
      await eventually(async () => {
        await report(admin);
        return dying.isDead() ? true : undefined;
      }, 40_000);
      expect(await dying.death).toBe('SIGKILL');

      const again = await service.restart();
      onTestFinished(() => again.stop());
      const { body } = await done(again.admin.get('/node/n1'));
      const isFree = (await freeNodes(again)).includes('n1');
      // It is in its project, in its cleaning, or has passed: never anything in between.
      expect([(body as { project: string | null }).project, isFree]).toEqual([null, isFree]);
      await eventually(async () => {
        // In this order: the cleaning may pass between the two answers.
        const free = await freeNodes(again);
        const [last] = ((await done(again.admin.get('/cleanings'))).body as { cleanings: { state: string }[] })
          .cleanings;
        if (last?.state === 'passed') return true;
        expect(free).toEqual([]);
        await report(again.admin);
        return undefined;
      }, 40_000);
      const { steps } = await cleaningThat(again, ended('passed'));
      expect(steps.map(({ state }) => state)).toEqual(steps.map(() => 'passed'));
      expect([machine.power, machine.bootDevice, machine.token]).toEqual(['off', 'none', null]);
      expect(await freeNodes(again)).toEqual(['n1']);
      await reserve(again, 'red', 'n1');
    },
  );
});
