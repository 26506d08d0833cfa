import { rm } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { basic, type Client, clientOf } from '../support/http/http-client.ts';
import { startKillable } from '../support/obm/killable-program.ts';
import { engines } from '../support/services/engines.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import { adminPassword, startService } from '../support/services/service.ts';
import { done, eventually, makeProject, obmd, reserve } from '../support/services/world.ts';

interface Claim {
  readonly claim: string;
  readonly state: string;
  readonly nodes: readonly string[];
}

const rounds = 4;

describe.each(engines)('a service on %s that is killed while claims wait', (engine) => {
  it('serves them after the next start, all or none, the first in line first', { timeout: 240_000 }, async () => {
    const service = await startService(engine);
    onTestFinished(() => rm(service.dataDir, { recursive: true, force: true }));
    await makeProject(service, 'owner');
    await makeProject(service, 'red');
    const nodes = Array.from({ length: 2 * rounds }, (_, index) => `n${index}`);
    for (const node of nodes) {
      await done(service.admin.put(`/node/${node}`, { obmd }));
      await reserve(service, 'owner', node);
    }
    const claims: string[] = [];
    for (let made = 0; made < rounds; made += 1) {
      const answer = await done(service.admin.post('/project/red/claim', { count: 2, wait: true }));
      claims.push((answer.body as Claim).claim);
    }
    await service.stop();

    const begin = async () => {
      const program = await startKillable('service', service.env);
      return { program, admin: clientOf(program.url, basic('admin', adminPassword)) };
    };
    const listed = async (admin: Client): Promise<readonly Claim[]> =>
      (await done(admin.get('/project/red/claims'))).body as Claim[];
    let running = await begin();
    try {
      for (const node of nodes) {
        await done(running.admin.post('/project/owner/detach_node', { node }));
        // Whether the claim has been served by now, is being served or is not, is left to chance.
        await running.program.kill();
        running = await begin();
        const shown = await listed(running.admin);
        for (const { state, nodes: given } of shown) expect(given).toHaveLength(state === 'served' ? 2 : 0);
        // A claim may be served between the two answers.
        await eventually(async () => {
          const owned = (await done(running.admin.get('/project/red/nodes'))).body as string[];
          const given = (await listed(running.admin)).flatMap((claim) => claim.nodes);
          return [...owned].sort().join() === given.sort().join() ? true : undefined;
        });
      }
      const all = await eventually(async () => {
        const shown = await listed(running.admin);
        return shown.every(({ state }) => state === 'served') ? shown : undefined;
      });
      const servedIn = claims.map((id) => all.find(({ claim }) => claim === id)?.nodes);
      expect(servedIn).toEqual(claims.map((_, index) => [`n${2 * index}`, `n${2 * index + 1}`]));
    } finally {
      await running.program.kill();
    }
    await expectSound(service.env);
  });
});
