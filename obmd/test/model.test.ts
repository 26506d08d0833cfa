import fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { Type } from '@sinclair/typebox';
import { describe, it } from 'vitest';
import type { BmcDriver } from '../src/drivers/contract.ts';
import { effort, seed } from '../../service/test/support/seed.ts';
import { done, startDaemon } from './support/daemon.ts';
import { DoubleBmc } from './support/double.ts';
import { engines } from './support/engines.ts';
import { deviceOf, steps, Walk } from './support/walk.ts';

const mostSteps = 40;
const devices = ['pxe', ...Array.from({ length: mostSteps + 2 }, (_, era) => deviceOf(era))];
const runs = { sqlite: 25, postgres: 12 };
const env = { CORRAL_OBMD_SOFT_GRACE: '0.05', CORRAL_OBMD_CALL_TIMEOUT: '10' };

describe.each(engines)('whatever happens at once on %s', (engine) => {
  it('nothing is done for a token that is not the newest, and nobody sees what was said before', async () => {
    const bmcs = new Map<string, DoubleBmc>();
    const driver: BmcDriver = {
      info: Type.Object({ name: Type.String() }),
      secrets: [],
      bmcOf: ({ name }) => (bmcs.get(String(name)) ?? new DoubleBmc()).bmc(devices),
    };
    const daemon = await startDaemon(engine, { env, drivers: { double: driver } });
    const walked = fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: mostSteps }), async (path) => {
      const id = `n${bmcs.size}`;
      const bmc = new DoubleBmc();
      bmcs.set(id, bmc);
      await done(daemon.admin('PUT', `/node/${id}`, { type: 'double', info: { name: id } }));
      const walk = new Walk(daemon, bmc, id);
      for (const step of path) await walk.take(step);
      await walk.end();
    });
    try {
      const numRuns = runs[engine] * effort;
      await fc.assert(walked, { seed, numRuns, interruptAfterTimeLimit: 40_000 * effort });
    } finally {
      await daemon.stop();
      await rm(daemon.dataDir, { recursive: true, force: true });
    }
  });
});
