import { describe, expect, it } from 'vitest';
import { projectsTold, startReceiver } from '../support/http/webhook-receiver.ts';
import { type EngineName, engines } from '../support/services/engines.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import {
  deadLettersOf,
  everywhere,
  showSubscription,
  subscribe,
  untilSubscription,
} from '../support/services/subscriptions.ts';
import { eventually, makeProject } from '../support/services/world.ts';

const hourMs = 3_600_000;

/** Everything that is stored is older now by so much, and so the pause before the next attempt is shorter by it. */
const forward = async (service: Service, ms: number): Promise<void> => {
  await everywhere(service, `update events set at = at - ${ms}`);
  await everywhere(service, `update subscriptions set retry_at = retry_at - ${ms}, last_at = last_at - ${ms}`);
};

describe.each(engines)('a receiver that is down for an hour, on %s,', (engine: EngineName) => {
  it('is asked ever less often, and then gets all that happened meanwhile, once and in order', async () => {
    const service = await serviceForTest(engine);
    // An address that no connection of another test comes from, so that nobody takes its port meanwhile.
    const receiver = await startReceiver({ host: '127.0.0.9' });
    await subscribe(service, 'hook', { url: receiver.url, filter: { types: ['project_create'] } });
    await makeProject(service, 'before');
    await untilSubscription(service, 'hook', ({ delivered }) => delivered === 1);

    await receiver.goDown();
    const missed: string[] = [];
    let [elapsedMs, seen] = [0, 0];
    while (elapsedMs < hourMs) {
      const project = `p${missed.length}`;
      await makeProject(service, project);
      missed.push(project);
      const tried = await untilSubscription(service, 'hook', ({ attempts }) => attempts > seen);
      expect(tried.state).toBe('failing');
      seen = tried.attempts;
      const pauseMs = Math.max(1, Date.parse(tried.retry_at ?? '') - Date.now());
      await forward(service, pauseMs);
      elapsedMs += pauseMs;
    }
    const { attempts, last_result, given_up } = await showSubscription(service, 'hook');
    process.stdout.write(`an hour of outage on ${engine}: ${attempts} attempts, then ${missed.length} deliveries\n`);
    expect(last_result).toMatch(/ECONNREFUSED/);
    // With the first pause each time there would be 3,600 of them.
    expect(attempts).toBeLessThan(40);
    expect(given_up).toBe(0);

    await receiver.comeBack();
    await forward(service, hourMs);
    await eventually(() => (receiver.taken.length > missed.length ? true : undefined));
    expect(projectsTold(receiver)).toEqual(['before', ...missed]);
    await untilSubscription(service, 'hook', (shown) => shown.state === 'active' && shown.attempts === 0);
    expect(await deadLettersOf(service, 'hook')).toEqual([]);
  });
});
