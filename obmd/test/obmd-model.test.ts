import fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { Type } from '@sinclair/typebox';
import { describe, it } from 'vitest';
import type { BmcDriver } from '../src/drivers/bmc-contract.ts';
import { effort, seed } from '../../service/test/support/vitest/seed.ts';
import { done, startDaemon } from './support/daemon.ts';
import { ScriptedBmc } from './support/scripted-bmc.ts';
import { engines } from './support/obmd-engines.ts';
import { deviceOf, steps, TokenWalk } from './support/token-walk.ts';

const mostSteps = 40;
const devices = ['pxe', ...Array.from({ length: mostSteps + 2 }, (_, generation) => deviceOf(generation))];
const runs = { sqlite: 25, postgres: 12 };
const env = { CORRAL_OBMD_SOFT_GRACE: '0.05', CORRAL_OBMD_CALL_TIMEOUT: '10' };

describe.each(engines)('whatever happens at once on %s', (engine) => {
  it('nothing is done for a token that is not the newest, and nobody sees what was said before', async () => {
    const bmcs = new Map<string, ScriptedBmc>();
    const driver: BmcDriver = {
      info: Type.Object({ name: Type.String() }),
      secrets: [],
      bmcOf: ({ name }) => (bmcs.get(String(name)) ?? new ScriptedBmc()).bmc(devices),
    };
    const daemon = await startDaemon(engine, { env, drivers: { double: driver } });
    const walked = fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: mostSteps }), async (path) => {
      const id = `n${bmcs.size}`;
      const bmc = new ScriptedBmc();
      bmcs.set(id, bmc);
      await done(daemon.admin('PUT', `/node/${id}`, { type: 'double', info: { name: id } }));
      const walk = new TokenWalk(daemon, bmc, id);
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
