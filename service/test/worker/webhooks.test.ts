import { labCertificate, labKey } from '@corral/lab';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Names, startTrap } from '../support/http/test-outbound.ts';
import { type Receiver, signatureOf, startReceiver } from '../support/http/webhook-receiver.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { startDyingProgram } from '../support/services/dying-program.ts';
import { type EngineName, engines } from '../support/services/engines.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import { runSql } from '../support/services/run-sql.ts';
import { adminPassword, type Service, serviceForTest } from '../support/services/service.ts';
import { done, eventually, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

interface Shown {
  readonly state: string;
  readonly paused_because: string | null;
  readonly position: number;
  readonly attempts: number;
  readonly retry_at: string | null;
  readonly delivered: number;
  readonly given_up: number;
  readonly lost_up_to: number | null;
  readonly last_result: string | null;
}

interface DeadLetter {
  readonly dead_letter: number;
  readonly event: { readonly id: number; readonly type: string };
  readonly reason: string;
}

const forProjects = { CORRAL_WEBHOOKS_PROJECT_TARGETS: '127.0.0.0/8' };

const subscribe = async (service: Service, label: string, body: object): Promise<string> =>
  ((await done(service.admin.put(`/subscription/${label}`, body))).body as { secret: string }).secret;

const show = async (service: Service, label = 'hook'): Promise<Shown> =>
  (await done(service.admin.get(`/subscription/${label}`))).body as Shown;

const until = (service: Service, fits: (shown: Shown) => boolean, label = 'hook'): Promise<Shown> =>
  eventually(async () => {
    const shown = await show(service, label);
    return fits(shown) ? shown : undefined;
  });

const deadLetters = async (service: Service, label = 'hook'): Promise<DeadLetter[]> =>
  (await done(service.admin.get(`/subscription/${label}/dead_letters`))).body as DeadLetter[];

const everywhere = (service: Service, statement: string): Promise<unknown[]> =>
  runSql(service, { sqlite: statement, postgres: statement });

/** Instead of waiting for the next attempt. */
const hurry = (service: Service): Promise<unknown[]> =>
  everywhere(service, 'update subscriptions set retry_at = 0 where attempts > 0');

/** Instead of waiting for a day. */
const age = (service: Service): Promise<unknown[]> =>
  everywhere(service, `update events set at = at - ${2 * 86_400_000}`);

const projects = ({ taken }: Receiver): unknown[] => taken.map(({ data }) => data['project']);

const makeProjects = async (service: Service, ...labels: readonly string[]): Promise<void> => {
  for (const label of labels) await makeProject(service, label);
};

const events = async (service: Service, query = ''): Promise<{ id: number; type: string }[]> =>
  (
    (await done(service.admin.get(`/events?after=0&limit=1000${query}`))).body as {
      events: { id: number; type: string }[];
    }
  ).events;

describe.each(engines)('webhooks on %s', (engine: EngineName) => {
  it('are sent what happens from then on, in order, signed, as the list of events shows it', async () => {
    const service = await serviceForTest(engine);
    const receiver = await startReceiver();
    await makeProject(service, 'before');
    const secret = await subscribe(service, 'hook', { url: receiver.url });
    await makeProjects(service, 'p1', 'p2', 'p3');
    await eventually(() => (receiver.taken.length === 3 ? true : undefined));
    expect(projects(receiver)).toEqual(['p1', 'p2', 'p3']);
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
    expect(await until(service, ({ delivered }) => delivered === 3)).toMatchObject({
      state: 'active',
      attempts: 0,
      retry_at: null,
      last_result: 'answered 204',
    });
    // Nothing was caused by the deliveries themselves.
    expect((await events(service)).filter(({ type }) => type.startsWith('subscription_'))).toHaveLength(1);
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
      results.add((await show(service)).last_result);
      await hurry(service);
      return receiver.taken.length === 2 ? true : undefined;
    }, 60_000);
    expect(projects(receiver)).toEqual(['p1', 'p2']);
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
      const { retry_at, state } = await until(service, (shown) => shown.attempts === attempts);
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
    await until(service, ({ attempts }) => attempts > 0);
    await age(service);
    await makeProject(service, 'p3');
    await hurry(service);
    await until(service, ({ given_up }) => given_up === 2);
    const letters = await deadLetters(service);
    expect(letters.map(({ event, reason }) => [(event as { project?: string }).project, reason])).toEqual([
      ['p1', 'answered 500'],
      ['p2', 'answered 500'],
    ]);
    const [first, second] = letters;
    expect((await events(service, '&type=subscription_dead_letters'))[0]).toMatchObject({
      detail: { subscription: 'hook', count: 2, first: first?.event.id, last: second?.event.id },
    });
    const resend = (letter?: DeadLetter) =>
      service.admin.post('/subscription/hook/resend', { dead_letter: letter?.dead_letter });
    expect((await done(resend(first))).body).toEqual({ delivered: false, result: 'answered 500' });
    expect(await deadLetters(service)).toHaveLength(2);
    const idOfFirst = receiver.received.findLast(({ data }) => data.id === first?.event.id)?.id;
    receiver.react = () => 200;
    await hurry(service);
    await eventually(() => (receiver.taken.length === 1 ? true : undefined));
    expect(projects(receiver)).toEqual(['p3']);
    expect((await done(resend(first))).body).toEqual({ delivered: true, result: 'answered 200' });
    expect(projects(receiver)).toEqual(['p3', 'p1']);
    expect(receiver.taken[1]?.id).toBe(idOfFirst);
    expect((await deadLetters(service)).map(({ dead_letter }) => dead_letter)).toEqual([second?.dead_letter]);
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
        const shown = [await show(service, 'one'), await show(service, 'two')];
        return shown.map(({ given_up }) => given_up).join() === `${one},${two}` ? true : undefined;
      });
    // Each was also told of the other's dead letter.
    await givenUp(2, 2);
    await makeProject(service, 'p2');
    await givenUp(4, 4);
    expect(await events(service, '&type=subscription_dead_letters')).toHaveLength(4);
  });

  it('keep the newest hundred dead letters', async () => {
    const service = await serviceForTest(engine);
    const receiver = await startReceiver();
    receiver.react = () => 500;
    await subscribe(service, 'hook', { url: receiver.url, filter: { types: ['many'] } });
    const rows = Array.from({ length: 160 }, () => `(1000, 'many', 'corral', '{}')`).join(', ');
    await everywhere(service, `insert into events (at, type, caller, detail) values ${rows}`);
    await until(service, ({ given_up }) => given_up === 160);
    const letters = await deadLetters(service);
    const all = await events(service, '&type=many');
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
    expect(await until(service, ({ state }) => state === 'paused')).toMatchObject({
      paused_because: 'the receiver answered 410 (Gone)',
    });
    expect((await events(service, '&type=subscription_paused'))[0]).toMatchObject({
      detail: { subscription: 'hook', reason: 'the receiver answered 410 (Gone)' },
    });
    await makeProject(service, 'p2');
    receiver.react = () => 200;
    await done(service.admin.patch('/subscription/hook', { paused: false }));
    await eventually(() => (receiver.taken.length === 2 ? true : undefined));
    expect(projects(receiver)).toEqual(['p1', 'p2']);
    expect(receiver.received).toHaveLength(3);
  });

  it('stop between two attempts when they are paused or deleted, and skip what the owner wants skipped', async () => {
    const service = await serviceForTest(engine);
    const receiver = await startReceiver();
    receiver.react = () => 500;
    for (const label of ['hook', 'other']) await subscribe(service, label, { url: receiver.url });
    await makeProject(service, 'p1');
    await until(service, ({ attempts }) => attempts > 0);
    await until(service, ({ attempts }) => attempts > 0, 'other');
    await done(service.admin.patch('/subscription/hook', { paused: true }));
    await done(service.admin.del('/subscription/other'));
    receiver.react = () => 200;
    const witness = await startReceiver();
    await subscribe(service, 'witness', { url: witness.url });
    await makeProject(service, 'p2');
    await eventually(() => (projects(witness).includes('p2') ? true : undefined));
    expect(receiver.taken).toEqual([]);
    expect(await show(service)).toMatchObject({ state: 'paused', paused_because: 'admin paused it', attempts: 0 });
    await done(service.admin.patch('/subscription/hook', { paused: false, from_now: true }));
    await makeProject(service, 'p3');
    await eventually(() => (projects(receiver).includes('p3') ? true : undefined));
    expect(projects(receiver).filter((project) => project === 'p1' || project === 'p2')).toEqual([]);
  });

  it('of a receiver that never answers hold up nobody else', async () => {
    const service = await serviceForTest(engine, { CORRAL_WEBHOOKS_TIMEOUT: '60' });
    const [slow, quick] = [await startReceiver(), await startReceiver()];
    slow.react = () => 'hang';
    for (let index = 0; index < 8; index += 1) await subscribe(service, `slow-${index}`, { url: slow.url });
    await subscribe(service, 'quick', { url: quick.url, filter: { types: ['project_create'] } });
    await makeProjects(service, 'p1', 'p2');
    await eventually(() => (quick.taken.length === 2 ? true : undefined));
    expect(projects(quick)).toEqual(['p1', 'p2']);
    expect(slow.taken).toEqual([]);
  });

  it('of one project never take the places of others', async () => {
    const service = await serviceForTest(engine, { ...forProjects, CORRAL_WEBHOOKS_TIMEOUT: '60' });
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
    expect(await until(service, ({ delivered }) => delivered > 0)).toMatchObject({ last_result: 'answered 200' });
  });

  it('go only to receivers whose certificate is good', async () => {
    const receiver = await startReceiver({ tls: { cert: labCertificate, key: labKey } });
    const untrusting = await serviceForTest(engine);
    await subscribe(untrusting, 'hook', { url: receiver.url });
    const tested = (await done(untrusting.admin.post('/subscription/hook/test'))).body;
    expect(tested).toEqual({
      delivered: false,
      result: expect.stringMatching(/^has a certificate that is not trusted/) as string,
    });
    await makeProject(untrusting, 'p1');
    await until(untrusting, ({ attempts }) => attempts > 0);
    expect(receiver.received).toEqual([]);

    const ca = join(untrusting.dataDir, 'ca.pem');
    await writeFile(ca, labCertificate);
    const trusting = await serviceForTest(engine, { CORRAL_WEBHOOKS_CA: ca });
    await subscribe(trusting, 'hook', { url: receiver.url });
    await makeProject(trusting, 'p1');
    await eventually(() => (receiver.taken.length === 1 ? true : undefined));
    // The authority is good, and the name is another's.
    const elsewhere = await startReceiver({ tls: { cert: labCertificate, key: labKey }, host: '127.0.0.2' });
    await done(trusting.admin.patch('/subscription/hook', { url: elsewhere.url }));
    const other = (await done(trusting.admin.post('/subscription/hook/test'))).body;
    expect(other).toEqual({
      delivered: false,
      result: 'has a certificate that is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)',
    });
    expect(elsewhere.received).toEqual([]);
  });

  it('go where connections may go at the moment of each connection, however names change', async () => {
    const names = new Names();
    const receiver = await startReceiver();
    const trap = await startTrap('127.0.0.3', Number(new URL(receiver.url).port));
    const service = await serviceForTest(engine, {}, { outbound: names.outbound('127.0.0.1') });
    const url = receiver.url.replace('127.0.0.1', 'hooks.example.org');
    await subscribe(service, 'hook', { url });
    await makeProject(service, 'p1');
    await eventually(() => (receiver.taken.length === 1 ? true : undefined));
    names.addresses = ['127.0.0.3'];
    await makeProject(service, 'p2');
    expect(await until(service, ({ attempts }) => attempts > 0)).toMatchObject({
      last_result: 'is at an address where webhooks may not go',
    });
    expect(trap.visits()).toEqual([]);
    names.addresses = ['127.0.0.1'];
    await hurry(service);
    await eventually(() => (receiver.taken.length === 2 ? true : undefined));
    expect(projects(receiver)).toEqual(['p1', 'p2']);
  });

  it('of a project are sent what its members may see, whatever happens at random in others', async () => {
    const service = await serviceForTest(engine, forProjects);
    const labels = ['red', 'blue', 'green'] as const;
    const receivers = new Map<string, Receiver>();
    for (const project of labels) {
      await makeProject(service, project);
      await makeUser(service, `member-of-${project}`, project);
      await makeNode(service, `n-${project}`);
      const receiver = await startReceiver();
      receivers.set(project, receiver);
      await done(service.as(`member-of-${project}`).put(`/subscription/of-${project}`, { project, url: receiver.url }));
    }
    const [{ id: begun } = { id: 0 }] = (await events(service)).slice(-1);
    const free = new Set<string>(labels.map((label) => `n-${label}`));
    const held = new Map<string, string>();
    for (let step = 0; step < 40; step += 1) {
      const project = labels[Math.floor(Math.random() * 3)] ?? 'red';
      const node = `n-${labels[Math.floor(Math.random() * 3)] ?? 'red'}`;
      if (free.delete(node)) {
        await reserve(service, project, node);
        held.set(node, project);
      } else {
        await done(service.admin.post(`/project/${held.get(node) ?? ''}/detach_node`, { node }));
        free.add(node);
      }
    }
    for (const project of labels) {
      const seen = (await done(service.as(`member-of-${project}`).get(`/events?after=${begun}&limit=1000`))).body as {
        events: { id: number; type: string; detail: { subscription?: string } }[];
      };
      const wanted = seen.events;
      const receiver = receivers.get(project);
      await eventually(() => ((receiver?.taken.length ?? 0) >= wanted.length ? true : undefined));
      expect(receiver?.taken.map(({ data }) => data)).toEqual(
        wanted.filter(({ detail }) => detail.subscription !== `of-${project}`),
      );
    }
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
    await until(again, ({ delivered }) => delivered === 1);
    await makeProject(again, 'p2');
    await eventually(() => (receiver.taken.length === 3 ? true : undefined));
    expect(projects(receiver)).toEqual(['p1', 'p1', 'p2']);
    expect(receiver.taken[1]?.id).toBe(receiver.taken[0]?.id);
    expect(receiver.taken[1]?.text).toBe(receiver.taken[0]?.text);
  });

  it('hold back the deletion of old events for as long as they may still be delivered, and say so if it was not enough', async () => {
    const receiver = await startReceiver();
    receiver.react = () => 500;
    const service = await serviceForTest(engine, { CORRAL_WEBHOOKS_GIVE_UP: '604800' });
    await subscribe(service, 'hook', { url: receiver.url, filter: { types: ['project_create'] } });
    await makeProjects(service, 'p1', 'p2');
    await until(service, ({ attempts }) => attempts > 0);
    await service.stop();
    await age(service);
    const keep = { CORRAL_EVENTS_KEEP_DAYS: '1' };
    const keeps = await service.restart(keep);
    // Those before the subscription go, and what it waits for stays.
    await eventually(async () => ((await events(keeps)).some(({ type }) => type === 'user_create') ? undefined : true));
    expect((await events(keeps, '&type=project_create')).length).toBe(2);
    await keeps.stop();

    await everywhere(service, `update events set at = at - ${8 * 86_400_000}`);
    await everywhere(service, `update subscriptions set retry_at = ${Date.now() + 3_000_000}, attempts = 5`);
    const keepsAll = await service.restart();
    await makeProject(keepsAll, 'p3');
    await keepsAll.stop();
    const later = await service.restart(keep);
    onTestFinished(later.stop);
    await eventually(async () => ((await events(later, '&type=project_create')).length === 1 ? true : undefined));
    const deleted = (await events(later))[0]?.id ?? 0;
    receiver.react = () => 200;
    await hurry(later);
    await eventually(() => (receiver.taken.length > 0 ? true : undefined));
    expect(projects(receiver)).toEqual(['p3']);
    const { lost_up_to } = await show(later);
    expect(lost_up_to).toBeGreaterThan(0);
    expect(lost_up_to).toBeLessThan(deleted);
  });

  it('contain no secret in logs and events, nor does the log contain the URL', async () => {
    const service = await serviceForTest(engine);
    const receiver = await startReceiver();
    receiver.react = () => 500;
    const secret = await subscribe(service, 'hook', { url: receiver.url });
    await done(service.admin.post('/subscription/hook/rotate_secret'));
    await makeProject(service, 'p1');
    await until(service, ({ attempts }) => attempts > 0);
    const told = service.log.join('') + JSON.stringify(await events(service)) + JSON.stringify(await show(service));
    expect(told).toContain('failed to deliver a webhook');
    expect(told).not.toContain('whsec_');
    expect(told).not.toContain(secret.replace('whsec_', ''));
    expect(service.log.join('') + JSON.stringify(await events(service))).not.toContain('in-the-url');
    const stored = JSON.stringify(await everywhere(service, 'select * from subscriptions'));
    expect(stored).not.toContain('in-the-url');
    expect(stored).not.toContain('whsec_');
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
  expect([...projects(receiver)].sort()).toEqual([...labels].sort());
  // The other goes on where the first was.
  await service.stop();
  await makeProject(other, 'after');
  await eventually(() => (projects(receiver).includes('after') ? true : undefined));
  expect(receiver.taken).toHaveLength(labels.length + 1);
});
