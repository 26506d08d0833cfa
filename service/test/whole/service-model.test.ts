import fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { describe, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { firstSteps, steps } from '../support/model/model-steps.ts';
import { nics, nodes, projects } from '../support/model/model-state.ts';
import { ModelWalk } from '../support/model/model-walk.ts';
import { effort, seed } from '../support/vitest/seed.ts';
import { type Service, startService } from '../support/services/service.ts';
import { done, makeProject, makeSwitch, makeUser, obmd } from '../support/services/world.ts';

/** Impatient beyond the other tests: walks meet many faults, and every one takes a budget. */
const env = { CORRAL_VLANS: '100-101', CORRAL_ENGINE_BUDGET: '0.1', CORRAL_ENGINE_DEVICE_TIMEOUT: '0.1' };

const makeWorld = async (service: Service): Promise<void> => {
  for (const project of projects) await makeProject(service, project);
  await makeUser(service, 'alice', 'red');
  await makeUser(service, 'bob', 'blue');
  for (const [index, nic] of nics.entries()) {
    await makeSwitch(service, `sw${index}`);
    for (const node of nodes) {
      if (index === 0) await done(service.admin.put(`/node/${node}`, { obmd }));
      await done(service.admin.put(`/node/${node}/nic/${nic}`, { macaddr: '52:54:00:00:00:01' }));
      await done(service.admin.put(`/switch/sw${index}/port/${node}/${nic}`));
      await done(service.admin.post(`/switch/sw${index}/port/${node}/${nic}/connect_nic`, { node, nic }));
    }
  }
};

describe.each(engines)('any walk through the interface on %s', (engine) => {
  it('is answered as the model says, and what must never happen does not', { timeout: 240_000 * effort }, async () => {
    const paths = fc.array(steps, { minLength: 30, maxLength: 50, size: 'max' });
    const walked = fc.asyncProperty(paths, async (path) => {
      const started = await startService(engine, env);
      const walk = new ModelWalk(started);
      try {
        await makeWorld(started);
        for (const one of [...firstSteps, ...path.flat()]) await walk.take(one);
        await walk.end();
      } finally {
        await walk.service.stop();
        await rm(started.dataDir, { recursive: true, force: true });
      }
    });
    await fc.assert(walked, { seed, numRuns: 8 * effort, interruptAfterTimeLimit: 120_000 * effort });
  });
});
