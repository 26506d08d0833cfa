import { describe, expect, it, onTestFinished } from 'vitest';
import { startTrap } from '../support/http/test-outbound.ts';
import { projectsTold, signatureOf, startReceiver } from '../support/http/webhook-receiver.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { startDyingProgram } from '../support/services/dying-program.ts';
import { type EngineName, engines } from '../support/services/engines.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import { adminPassword, type Service, serviceForTest } from '../support/services/service.ts';
import { done, eventually, makeNode, makeProject, reserve } from '../support/services/world.ts';
import {
  deadLettersOf,
  type DeadLetter,
  eventsOf,
  everywhere,
  hurry,
  projectTargets,
  showSubscription,
  subscribe,
  untilSubscription,
} from '../support/services/subscriptions.ts';

/** Instead of waiting for a day. */
const age = (service: Service): Promise<unknown[]> =>
  everywhere(service, `update events set at = at - ${2 * 86_400_000}`);

const makeProjects = async (service: Service, ...labels: readonly string[]): Promise<void> => {
  for (const label of labels) await makeProject(service, label);
};

describe.each(engines)('webhooks on %s', (engine: EngineName) => {
  it('are sent what happens from then on, in order, signed, as the list of events shows it', async () => {
    const service = await serviceForTest(engine);
    const receiver = await startReceiver();
    await makeProject(service, 'before');
    const secret = await subscribe(service, 'hook', { url: receiver.url });
    await makeProjects(service, 'p1', 'p2', 'p3');
    await eventually(() => (receiver.taken.length === 3 ? true : undefined));
    expect(projectsTold(receiver)).toEqual(['p1', 'p2', 'p3']);
    const listed = (await done(service.admin.get('/events?type=project_create&project=p1'))).body as {
      events: unknown[];
    };
    const [first] = receiver.taken;
    if (first === undefined) throw new Error('there is one');
    expect(JSON.parse(first.text)).toEqual({
      type: 'project_create',
      timestamp: (listed.events[0] as { at: string }).at,
      data: listed.events[0],
    });
    expect(first.headers['content-type']).toBe('application/json');
    expect(new Set(receiver.taken.map(({ id }) => id)).size).toBe(3);
    for (const message of receiver.taken) {
      expect(message.signatures).toEqual([signatureOf(message, secret)]);
      expect(Math.abs(Number(message.timestamp) * 1000 - Date.now())).toBeLessThan(60_000);
    }
    expect(await untilSubscription(service, 'hook', ({ delivered }) => delivered === 3)).toMatchObject({
      state: 'active',
      attempts: 0,
      retry_at: null,
      last_result: 'answered 204',
    });
    // Nothing was caused by the deliveries themselves.
    expect((await eventsOf(service)).filter(({ type }) => type.startsWith('subscription_'))).toHaveLength(1);
  });

  it('are sent again, under the same id and before anything else, until the receiver takes them', async () => {
    const trap = await startTrap();
    const service = await serviceForTest(engine, { CORRAL_WEBHOOKS_TIMEOUT: '0.5' });
    const receiver = await startReceiver();
    const reactions = [500, 'drop', 'half', { location: trap.origin }, 'hang', 404] as const;
    receiver.react = () => reactions[receiver.received.length - 1] ?? 200;
    const secret = await subscribe(service, 'hook', { url: receiver.url });
    await makeProjects(service, 'p1', 'p2');
    const results = new Set<string | null>();
    await eventually(async () => {
      results.add((await showSubscription(service, 'hook')).last_result);
      await hurry(service);
      return receiver.taken.length === 2 ? true : undefined;
    }, 60_000);
    expect(projectsTold(receiver)).toEqual(['p1', 'p2']);
    const [first] = receiver.received;
    const tries = receiver.received.slice(0, reactions.length + 1);
    expect(tries.map(({ id, text }) => [id, text])).toEqual(tries.map(() => [first?.id, first?.text]));
    expect(tries.every((message) => message.signatures[0] === signatureOf(message, secret))).toBe(true);
    expect([...results]).toEqual(
      expect.arrayContaining(['answered 500', 'answered 307, a redirect, which is not followed']),
    );
    expect([...results]).toEqual(expect.arrayContaining(['did not answer within 0.5 s', 'answered 404']));
    expect(trap.visits()).toEqual([]);
  });

  it('wait ever longer for a receiver that fails, up to an hour, and are tried at once when somebody changes the URL', async () => {
    const service = await serviceForTest(engine);
    const [broken, repaired] = [await startReceiver(), await startReceiver()];
    broken.react = () => 503;
    await subscribe(service, 'hook', { url: broken.url });
    await makeProject(service, 'p1');
    const pauseOf = async (attempts: number): Promise<number> => {
      const { retry_at, state } = await untilSubscription(service, 'hook', (shown) => shown.attempts === attempts);
      expect(state).toBe('failing');
      return Date.parse(retry_at ?? '') - Date.now();
    };
    expect(await pauseOf(1)).toBeLessThanOrEqual(1_000);
    await everywhere(service, 'update subscriptions set attempts = 9, retry_at = 0');
    expect(await pauseOf(10)).toBeGreaterThan(120_000);
    await everywhere(service, 'update subscriptions set attempts = 100, retry_at = 0');
    expect(await pauseOf(101)).toBeLessThanOrEqual(3_600_000);
    await done(service.admin.patch('/subscription/hook', { url: repaired.url }));
    await eventually(() => (repaired.taken.length === 1 ? true : undefined));
  });

  it('that cannot be delivered for a day are dead letters, those behind them go on, and each can be sent again', async () => {
    const service = await serviceForTest(engine);
    const receiver = await startReceiver();
    receiver.react = () => 500;
    await subscribe(service, 'hook', { url: receiver.url, filter: { types: ['project_create'] } });
    await makeProjects(service, 'p1', 'p2');
    await untilSubscription(service, 'hook', ({ attempts }) => attempts > 0);
    await age(service);
    await makeProject(service, 'p3');
    await hurry(service);
    await untilSubscription(service, 'hook', ({ given_up }) => given_up === 2);
    const letters = await deadLettersOf(service, 'hook');
    expect(letters.map(({ event, reason }) => [event.project, reason])).toEqual([
      ['p1', 'answered 500'],
      ['p2', 'answered 500'],
    ]);
    const [first, second] = letters;
    expect((await eventsOf(service, '&type=subscription_dead_letters'))[0]).toMatchObject({
      detail: { subscription: 'hook', count: 2, first: first?.event.id, last: second?.event.id },
    });
    const resend = (letter?: DeadLetter) =>
      service.admin.post('/subscription/hook/resend', { dead_letter: letter?.dead_letter });
    expect((await done(resend(first))).body).toEqual({ delivered: false, result: 'answered 500' });
    expect(await deadLettersOf(service, 'hook')).toHaveLength(2);
    const idOfFirst = receiver.received.findLast(({ data }) => data.id === first?.event.id)?.id;
    receiver.react = () => 200;
    await hurry(service);
    await eventually(() => (receiver.taken.length === 1 ? true : undefined));
    expect(projectsTold(receiver)).toEqual(['p3']);
    expect((await done(resend(first))).body).toEqual({ delivered: true, result: 'answered 200' });
    expect(projectsTold(receiver)).toEqual(['p3', 'p1']);
    expect(receiver.taken[1]?.id).toBe(idOfFirst);
    expect((await deadLettersOf(service, 'hook')).map(({ dead_letter }) => dead_letter)).toEqual([second?.dead_letter]);
    expect((await resend(first)).status).toBe(404);
  });

  it('of two failing subscriptions cause no dead letters about dead letters without end', async () => {
    const service = await serviceForTest(engine);
    const receiver = await startReceiver();
    receiver.react = () => 500;
    const filter = { types: ['project_create', 'subscription_dead_letters'] };
    await subscribe(service, 'one', { url: receiver.url, filter });
    await subscribe(service, 'two', { url: receiver.url, filter });
    await makeProject(service, 'p1');
    const givenUp = (one: number, two: number): Promise<true> =>
      eventually(async () => {
        await age(service);
        await hurry(service);
        const shown = [await showSubscription(service, 'one'), await showSubscription(service, 'two')];
        return shown.map(({ given_up }) => given_up).join() === `${one},${two}` ? true : undefined;
      });
    // Each was also told of the other's dead letter.
    await givenUp(2, 2);
    await makeProject(service, 'p2');
    await givenUp(4, 4);
    expect(await eventsOf(service, '&type=subscription_dead_letters')).toHaveLength(4);
  });

  it('keep the newest hundred dead letters', async () => {
    const service = await serviceForTest(engine);
    const receiver = await startReceiver();
    receiver.react = () => 500;
    await subscribe(service, 'hook', { url: receiver.url, filter: { types: ['many'] } });
    const rows = Array.from({ length: 160 }, () => `(1000, 'many', 'corral', '{}')`).join(', ');
    await everywhere(service, `insert into events (at, type, caller, detail) values ${rows}`);
    await untilSubscription(service, 'hook', ({ given_up }) => given_up === 160);
    const letters = await deadLettersOf(service, 'hook');
    const all = await eventsOf(service, '&type=many');
    expect(letters.map(({ event }) => event.id)).toEqual(all.slice(60).map(({ id }) => id));
    // All of them were given up after one attempt.
    expect(receiver.received).toHaveLength(1);
  });

  it('end when the receiver says 410, until somebody resumes them', async () => {
    const service = await serviceForTest(engine);
    const receiver = await startReceiver();
    receiver.react = () => 410;
    await subscribe(service, 'hook', { url: receiver.url });
    await makeProject(service, 'p1');
    expect(await untilSubscription(service, 'hook', ({ state }) => state === 'paused')).toMatchObject({
      paused_because: 'the receiver answered 410 (Gone)',
    });
    expect((await eventsOf(service, '&type=subscription_paused'))[0]).toMatchObject({
      detail: { subscription: 'hook', reason: 'the receiver answered 410 (Gone)' },
    });
    await makeProject(service, 'p2');
    receiver.react = () => 200;
    await done(service.admin.patch('/subscription/hook', { paused: false }));
    await eventually(() => (receiver.taken.length === 2 ? true : undefined));
    expect(projectsTold(receiver)).toEqual(['p1', 'p2']);
    expect(receiver.received).toHaveLength(3);
  });

  it('stop between two attempts when they are paused or deleted, and skip what the owner wants skipped', async () => {
    const service = await serviceForTest(engine);
    const receiver = await startReceiver();
    receiver.react = () => 500;
    for (const label of ['hook', 'other']) await subscribe(service, label, { url: receiver.url });
    await makeProject(service, 'p1');
    await untilSubscription(service, 'hook', ({ attempts }) => attempts > 0);
    await untilSubscription(service, 'other', ({ attempts }) => attempts > 0);
    await done(service.admin.patch('/subscription/hook', { paused: true }));
    await done(service.admin.del('/subscription/other'));
    receiver.react = () => 200;
    const witness = await startReceiver();
    await subscribe(service, 'witness', { url: witness.url });
    await makeProject(service, 'p2');
    await eventually(() => (projectsTold(witness).includes('p2') ? true : undefined));
    expect(receiver.taken).toEqual([]);
    expect(await showSubscription(service, 'hook')).toMatchObject({
      state: 'paused',
      paused_because: 'admin paused it',
      attempts: 0,
    });
    await done(service.admin.patch('/subscription/hook', { paused: false, from_now: true }));
    await makeProject(service, 'p3');
    await eventually(() => (projectsTold(receiver).includes('p3') ? true : undefined));
    expect(projectsTold(receiver).filter((project) => project === 'p1' || project === 'p2')).toEqual([]);
  });

  it('of a receiver that never answers hold up nobody else', async () => {
    const service = await serviceForTest(engine, { CORRAL_WEBHOOKS_TIMEOUT: '60' });
    const [slow, quick] = [await startReceiver(), await startReceiver()];
    slow.react = () => 'hang';
    for (let index = 0; index < 8; index += 1) await subscribe(service, `slow-${index}`, { url: slow.url });
    await subscribe(service, 'quick', { url: quick.url, filter: { types: ['project_create'] } });
    await makeProjects(service, 'p1', 'p2');
    await eventually(() => (quick.taken.length === 2 ? true : undefined));
    expect(projectsTold(quick)).toEqual(['p1', 'p2']);
    expect(slow.taken).toEqual([]);
  });

  it('of one project never take the places of others', async () => {
    const service = await serviceForTest(engine, { ...projectTargets, CORRAL_WEBHOOKS_TIMEOUT: '60' });
    const [slow, quick] = [await startReceiver(), await startReceiver()];
    slow.react = () => 'hang';
    await makeProjects(service, 'red', 'blue');
    for (let index = 0; index < 10; index += 1)
      await subscribe(service, `slow-${index}`, { url: slow.url, project: 'red' });
    await subscribe(service, 'quick', { url: quick.url, project: 'blue' });
    for (const project of ['red', 'blue']) {
      await makeNode(service, `n-${project}`);
      await reserve(service, project, `n-${project}`);
    }
    await eventually(() => (quick.taken.length === 1 ? true : undefined));
    expect(slow.received).toHaveLength(4);
  });

  it('need not be read to the end of their answers', async () => {
    const service = await serviceForTest(engine);
    const receiver = await startReceiver();
    receiver.react = () => 'endless';
    await subscribe(service, 'hook', { url: receiver.url });
    await makeProject(service, 'p1');
    expect(await untilSubscription(service, 'hook', ({ delivered }) => delivered > 0)).toMatchObject({
      last_result: 'answered 200',
    });
  });

  it('that were taken by the receiver when the process died are sent again, under the same id', async () => {
    const receiver = await startReceiver();
    const first = await serviceForTest(engine);
    await subscribe(first, 'hook', { url: receiver.url });
    await first.stop();
    const dying = await startDyingProgram(first.env, 'webhook delivered', 1);
    onTestFinished(() => dying.kill());
    const admin = clientOf(dying.url, basic('admin', adminPassword));
    await admin.put('/project/p1').catch(() => undefined);
    expect(await dying.death).toBe('SIGKILL');
    const again = await replicaOf(first);
    await untilSubscription(again, 'hook', ({ delivered }) => delivered === 1);
    await makeProject(again, 'p2');
    await eventually(() => (receiver.taken.length === 3 ? true : undefined));
    expect(projectsTold(receiver)).toEqual(['p1', 'p1', 'p2']);
    expect(receiver.taken[1]?.id).toBe(receiver.taken[0]?.id);
    expect(receiver.taken[1]?.text).toBe(receiver.taken[0]?.text);
  });

  it('hold back the deletion of old events for as long as they may still be delivered, and say so if it was not enough', async () => {
    const receiver = await startReceiver();
    receiver.react = () => 500;
    const service = await serviceForTest(engine, { CORRAL_WEBHOOKS_GIVE_UP: '604800' });
    await subscribe(service, 'hook', { url: receiver.url, filter: { types: ['project_create'] } });
    await makeProjects(service, 'p1', 'p2');
    await untilSubscription(service, 'hook', ({ attempts }) => attempts > 0);
    await service.stop();
    await age(service);
    const keep = { CORRAL_EVENTS_KEEP_DAYS: '1' };
    const keeps = await service.restart(keep);
    // Those before the subscription go, and what it waits for stays.
    await eventually(async () =>
      (await eventsOf(keeps)).some(({ type }) => type === 'user_create') ? undefined : true,
    );
    expect((await eventsOf(keeps, '&type=project_create')).length).toBe(2);
    await keeps.stop();

    await everywhere(service, `update events set at = at - ${8 * 86_400_000}`);
    await everywhere(service, `update subscriptions set retry_at = ${Date.now() + 3_000_000}, attempts = 5`);
    const keepsAll = await service.restart();
    await makeProject(keepsAll, 'p3');
    await keepsAll.stop();
    const later = await service.restart(keep);
    onTestFinished(later.stop);
    await eventually(async () => ((await eventsOf(later, '&type=project_create')).length === 1 ? true : undefined));
    const deleted = (await eventsOf(later))[0]?.id ?? 0;
    receiver.react = () => 200;
    await hurry(later);
    await eventually(() => (receiver.taken.length > 0 ? true : undefined));
    expect(projectsTold(receiver)).toEqual(['p3']);
    const { lost_up_to } = await showSubscription(later, 'hook');
    expect(lost_up_to).toBeGreaterThan(0);
    expect(lost_up_to).toBeLessThan(deleted);
  });
});

it.runIf(engines.includes('postgres'))('two processes deliver each event once, in order', async () => {
  const receiver = await startReceiver();
  const service = await serviceForTest('postgres');
  const other = await replicaOf(service);
  await subscribe(service, 'hook', { url: receiver.url });
  const labels = Array.from({ length: 30 }, (_, index) => `p${index}`);
  await Promise.all(labels.map((label, index) => makeProject(index % 2 === 0 ? service : other, label)));
  await eventually(() => (receiver.taken.length >= labels.length ? true : undefined));
  const ids = receiver.taken.map(({ data }) => data.id);
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
  expect([...projectsTold(receiver)].sort()).toEqual([...labels].sort());
  // The other goes on where the first was.
  await service.stop();
  await makeProject(other, 'after');
  await eventually(() => (projectsTold(receiver).includes('after') ? true : undefined));
  expect(receiver.taken).toHaveLength(labels.length + 1);
});
