import { rm } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bootMoments, type CleaningMoment } from '../../src/worker/cleaning-moments.ts';
import { startDyingProgram } from '../support/services/dying-program.ts';
import { engines } from '../support/services/engines.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import { addNode, cleaningThat, cleans, ended, freeNodes } from '../support/services/gated-node.ts';
import { basic, type Client, clientOf } from '../support/http/http-client.ts';
import { startListener } from '../support/http/http-listener.ts';
import { labObmd } from '../support/services/obm-rack.ts';
import { adminPassword, startService } from '../support/services/service.ts';
import { done, eventually, makeProject, reserve } from '../support/services/world.ts';
import { carried } from '../support/switches/drift-helpers.ts';

interface Order {
  readonly cleaning: string;
  readonly step: string;
  readonly token: string;
}

/** The moments of a boot, and every beginning and end of its steps: it is the 6th to the 10th of eleven. */
const cases: readonly (readonly [CleaningMoment, number])[] = [
  ...bootMoments.map((moment) => [moment, 1] as const),
  ['cleaning webhook sent', 1],
  ...[6, 7, 8, 9, 10].map((times) => ['cleaning step begun', times] as const),
  ...[6, 9].map((times) => ['cleaning step settled', times] as const),
];

describe.each(engines)('a process that is killed while a node boots to be cleaned, on %s', (engine) => {
  it.each(cases)(
    'at "%s", reached %i times: the next one takes the node off the network, and nobody gets it before',
    async (moment, times) => {
      const obmd = await labObmd();
      const listener = await startListener();
      const service = await startService(engine, {
        ...cleans,
        CORRAL_ENGINE_LEASE: '0.5',
        CORRAL_PUBLIC_URL: 'http://corral.test',
        CORRAL_CLEANING_STEPS: `wipe boot ${listener.url}`,
        CORRAL_CLEANING_BOOT_NETWORK: 'cleaning',
      });
      onTestFinished(() => rm(service.dataDir, { recursive: true, force: true }));
      onTestFinished(() => service.stop());
      await makeProject(service, 'red');
      await done(service.admin.put('/network/cleaning', { owner: 'admin', access: 'red', net_id: '777' }));
      const machine = await addNode({ service, obmd }, 'n1');
      await reserve(service, 'red', 'n1');
      await service.stop();

      const dying = await startDyingProgram(service.env, moment, times);
      onTestFinished(() => dying.kill());
      const admin = clientOf(dying.url, basic('admin', adminPassword));
      await admin.post('/project/red/detach_node', { node: 'n1' }).catch(() => null);
      /** Reports for what was ordered last, once the node is on, to the process that is there. */
      const report = (client: Client) => {
        const order = listener.heard.at(-1)?.body as Order | undefined;
        if (order === undefined || machine.power !== 'on') return Promise.resolve(null);
        const { cleaning, step, token } = order;
        return client.post(`/cleaning/${cleaning}/result`, { step, token, outcome: 'clean' }).catch(() => null);
      };
      await eventually(async () => {
        await report(admin);
        return dying.isDead() ? true : undefined;
      }, 60_000);
      expect(await dying.death).toBe('SIGKILL');

      const again = await service.restart();
      onTestFinished(() => again.stop());
      await eventually(async () => {
        // In this order: the cleaning may pass between the two answers.
        const free = await freeNodes(again);
        const [last] = ((await done(again.admin.get('/cleanings'))).body as { cleanings: { state: string }[] })
          .cleanings;
        if (last?.state === 'passed') return true;
        expect(free).toEqual([]);
        await report(again.admin);
        return undefined;
      }, 60_000);
      const { steps } = await cleaningThat(again, ended('passed'));
      expect(steps.map(({ state }) => state)).toEqual(steps.map(() => 'passed'));
      expect([machine.power, machine.bootDevice, machine.token]).toEqual(['off', 'none', null]);
      expect(carried(again, 'sw0', 'n1/eth0')).toEqual({ native: null, tagged: [] });
      await expectSound(again.env);
      await reserve(again, 'red', 'n1');
    },
  );
});
