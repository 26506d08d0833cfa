import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type EngineName, engines } from '../support/services/engines.ts';
import {
  addNode,
  cleaningOf,
  cleaningThat,
  ended,
  freeNodes,
  type GatedSite,
  isStuckAt,
  leave,
  makeGatedSite,
  stepOf,
} from '../support/services/gated-node.ts';
import { type Listener, startListener } from '../support/http/http-listener.ts';
import { signatureOf, startReceiver } from '../support/http/webhook-receiver.ts';
import { acceptedDone } from '../support/services/releases.ts';
import { runSql } from '../support/services/run-sql.ts';
import { message } from '../support/services/shared-service.ts';
import { done, eventually, reserve } from '../support/services/world.ts';
import { tamper } from '../support/switches/drift-helpers.ts';

/** What a webhook of a site is sent. */
interface Order {
  readonly cleaning: string;
  readonly node: string;
  readonly step: string;
  readonly token: string;
  readonly url: string;
}

interface WipedSite extends GatedSite {
  readonly listener: Listener;
}

const makeWipedSite = async (engine: EngineName, env: Readonly<Record<string, string>> = {}): Promise<WipedSite> => {
  const listener = await startListener();
  const site = await makeGatedSite(engine, {
    CORRAL_PUBLIC_URL: 'https://corral.example.org',
    CORRAL_CLEANING_STEPS: `wipe webhook ${listener.url}`,
    ...env,
  });
  return { ...site, listener };
};

/** Waits until the service was asked to wipe a node, for the nth time. */
const ordered = ({ heard }: Listener, node = 'n1', times = 1): Promise<Order> =>
  eventually(() => {
    const orders = heard.map(({ body }) => body as Order).filter((order) => order.node === node);
    return orders[times - 1];
  });

const report = (
  { service }: Pick<GatedSite, 'service'>,
  { cleaning, step, token }: Pick<Order, 'cleaning' | 'step' | 'token'>,
  outcome = 'clean',
) => service.anonymous.post(`/cleaning/${cleaning}/result`, { step, token, outcome, evidence: 'all disks erased' });

/** A program in a folder of its own, and what it leaves there. */
const program = (text: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'corral-cleaning-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'check');
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  const at = (name: string): string => join(folder, name);
  return {
    env: { CORRAL_CLEANING_STEPS: `check command ${file} ${folder} two` },
    read: (name: string): string | undefined => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined),
    write: (name: string, content: string): void => writeFileSync(at(name), content),
  };
};

describe.each(engines)('a webhook of the gate on %s', (engine) => {
  it('is asked until it confirms, reports its result later, and the ports are read once more', async () => {
    const site = await makeWipedSite(engine);
    const { service, alice, listener } = site;
    const reactions = [500, 'drop', 302] as const;
    listener.react = () => reactions[listener.heard.length] ?? 202;
    await leave(alice);
    const order = await ordered(listener, 'n1', 4);
    const { cleaning } = await cleaningOf(service);
    expect({ ...order, token: '' }).toEqual({
      cleaning,
      node: 'n1',
      step: 'wipe',
      token: '',
      url: `https://corral.example.org/v0/cleaning/${cleaning}/result`,
    });
    expect(await freeNodes(service)).toEqual([]);
    await done(report(site, order));
    const { steps } = await cleaningThat(service, ended('passed'));
    expect(steps.map(({ name, state }) => `${name} ${state}`).slice(3)).toEqual([
      'bmc passed',
      'wipe passed',
      'ports-again passed',
    ]);
    expect(steps[4]?.evidence).toBe('all disks erased');
    expect(await freeNodes(service)).toEqual(['n1']);
    expect(service.log.join('')).not.toContain(order.token);
  });

  it('can tell by the signature of each request who sent it, also while its secret changes', async () => {
    const secrets = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);
    const receiver = await startReceiver();
    receiver.react = ({ text }) => (text.includes('n1') && receiver.received.length === 1 ? 503 : 202);
    const { service, alice } = await makeGatedSite(engine, {
      CORRAL_PUBLIC_URL: 'https://corral.example.org',
      CORRAL_CLEANING_STEPS: `wipe webhook ${receiver.url}`,
      CORRAL_CLEANING_WEBHOOK_SECRET: secrets.join(' '),
    });
    const before = Date.now();
    await leave(alice);
    await eventually(() => (receiver.received.length === 2 ? true : undefined));
    for (const message of receiver.received) {
      expect(message.signatures).toEqual(secrets.map((secret) => signatureOf(message, secret)));
      expect(Number(message.timestamp)).toBeGreaterThanOrEqual(Math.floor(before / 1000));
      expect(message.id).toMatch(/^msg_[\da-f]{24}$/);
    }
    // Another token, another message.
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2);
    const order = JSON.parse(receiver.received.at(-1)?.text ?? '') as Order;
    expect((await report({ service }, order)).status).toBe(200);
    await cleaningThat(service, ended('passed'));
    const shown = JSON.stringify([await cleaningOf(service), (await done(service.admin.get('/events?after=0'))).body]);
    for (const secret of [...secrets, order.token]) {
      expect(shown).not.toContain(secret);
      expect(service.log.join('')).not.toContain(secret);
    }
  });

  it('is not signed without a secret', async () => {
    const receiver = await startReceiver();
    const { alice } = await makeGatedSite(engine, {
      CORRAL_PUBLIC_URL: 'https://corral.example.org',
      CORRAL_CLEANING_STEPS: `wipe webhook ${receiver.url}`,
    });
    await leave(alice);
    const headers = await eventually(() => receiver.received[0]?.headers);
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([]);
  });

  it('is believed once, and with the token of its own step and cleaning only', async () => {
    const site = await makeWipedSite(engine);
    const { service, alice, listener } = site;
    await addNode(site, 'n2');
    await reserve(service, 'red', 'n2');
    await leave(alice);
    await leave(alice, 'n2');
    const [first, second] = [await ordered(listener), await ordered(listener, 'n2')];
    const wrong = [
      { ...first, token: second.token },
      { ...first, token: 'forged' },
      { ...first, step: 'power' },
      { ...first, cleaning: 'none' },
      { ...second, cleaning: first.cleaning },
    ];
    for (const order of wrong) {
      expect([(await report(site, order)).status, await message(report(site, order))]).toEqual([
        401,
        'the token is not valid for this step of this cleaning',
      ]);
    }
    expect(stepOf(await cleaningOf(service), 'wipe')?.state).toBe('running');
    expect(await freeNodes(service)).toEqual([]);
    await done(report(site, first));
    await cleaningThat(service, ended('passed'));
    expect(await message(report(site, first, 'failed'))).toContain('is over; the result changes nothing');
    expect(await freeNodes(service)).toEqual(['n1']);
    expect((await cleaningOf(service, 'n2')).state).toBe('running');
    await reserve(service, 'blue', 'n1');
    expect((await report(site, first, 'failed')).status).toBe(409);
    expect((await cleaningOf(service)).state).toBe('passed');
  });

  it('may still answer to an older request of the same step, but not to one from before a retry', async () => {
    const site = await makeWipedSite(engine);
    const { service, alice, listener } = site;
    // The answer is lost on its way: the service has the order, and is asked again.
    listener.react = () => (listener.heard.length === 0 ? 'drop' : 200);
    await leave(alice);
    const first = await ordered(listener);
    await ordered(listener, 'n1', 2);
    await done(report(site, first, 'failed'));
    const { reason, cleaning } = await cleaningThat(service, ended('failed'));
    expect(reason).toBe('step wipe: reported as failed');
    expect(await freeNodes(service)).toEqual([]);
    await done(service.admin.post(`/cleaning/${cleaning}/retry`));
    const third = await ordered(listener, 'n1', 3);
    expect((await report(site, first)).status).toBe(401);
    await done(report(site, third));
    await cleaningThat(service, ended('passed'));
  });

  it('that is silent quarantines the node at the deadline, and is late then', async () => {
    const site = await makeWipedSite(engine, { CORRAL_CLEANING_STEP_DEADLINE: '1' });
    const { service, alice, listener } = site;
    await leave(alice);
    const order = await ordered(listener);
    const { reason } = await cleaningThat(service, ended('failed'));
    expect(reason).toBe('step wipe: not done at its deadline: the service was asked, and has not reported a result');
    expect((await report(site, order)).status).toBe(409);
    expect(await freeNodes(service)).toEqual([]);
  });

  it('that is silent is not waited for longer than its time because the clock was set back', async () => {
    const site = await makeWipedSite(engine);
    const { service, alice, listener } = site;
    await leave(alice);
    const order = await ordered(listener);
    await cleaningThat(service, (cleaning) => stepOf(cleaning, 'wipe')?.sentence !== null);
    const month = 30 * 86_400_000;
    const later = `update cleaning_steps set deadline_at = deadline_at + ${month} where name = 'wipe'`;
    await runSql(service, { sqlite: later, postgres: later });
    const due = 'update cleanings set due_at = 0';
    await runSql(service, { sqlite: due, postgres: due });
    const left = (shown: string | null | undefined): number => Date.parse(shown ?? '') - Date.now();
    await cleaningThat(service, (cleaning) => left(stepOf(cleaning, 'wipe')?.deadline_at) <= 3_600_000);
    expect((await report(site, order)).status).toBe(200);
    await cleaningThat(service, ended('passed'));
  });

  it('does not hide what happened to a port while it worked', async () => {
    const site = await makeWipedSite(engine);
    const { service, alice, listener } = site;
    await leave(alice);
    const order = await ordered(listener);
    tamper(service, 'sw0', 'n1/eth0', { native: 600 });
    await done(report(site, order));
    const stuck = await cleaningThat(service, isStuckAt('ports-again'));
    expect(stepOf(stuck, 'ports-again')?.sentence).toContain('VLAN 600');
    expect(await freeNodes(service)).toEqual([]);
  });
});

describe.each(engines)('a command of the gate on %s', (engine) => {
  it('is run without a shell and with nothing but what it has to know; exit status 0 is clean', async () => {
    const { env, read } = program('env > $1/env; echo "$2; disks erased"; echo to stderr >&2');
    const { service, alice } = await makeGatedSite(engine, env);
    await leave(alice);
    const passed = await cleaningThat(service, ended('passed'));
    expect(stepOf(passed, 'check')?.evidence?.split('\n').sort()).toEqual(['', 'to stderr', 'two; disks erased']);
    const names = (read('env') ?? '').split('\n').map((line) => line.split('=')[0]);
    expect(names.filter((name) => !['PWD', '_', 'SHLVL', 'OLDPWD', ''].includes(name ?? '')).sort()).toEqual([
      'CORRAL_CLEANING',
      'CORRAL_NODE',
      'CORRAL_STEP',
      'PATH',
    ]);
    expect(read('env')).toContain('CORRAL_NODE=n1\n');
  });

  it('that fails quarantines the node with what it said', async () => {
    const { env } = program('echo "disk 2 is broken"; exit 3');
    const { service, alice } = await makeGatedSite(engine, env);
    await leave(alice);
    const failed = await cleaningThat(service, ended('failed'));
    expect(failed.reason).toMatch(/^step check: .* ended with exit status 3$/);
    expect(stepOf(failed, 'check')?.evidence).toBe('disk 2 is broken\n');
    expect(await freeNodes(service)).toEqual([]);
  });

  it('that does not exist quarantines the node', async () => {
    const { service, alice } = await makeGatedSite(engine, { CORRAL_CLEANING_STEPS: 'check command /no/such/program' });
    await leave(alice);
    expect((await cleaningThat(service, ended('failed'))).reason).toContain('could not be run');
  });

  it('that hangs is killed with all that it started at the deadline', async () => {
    const { env, read } = program('sleep 1000 & echo $! > $1/child; echo $$ > $1/own; wait');
    const { service, alice } = await makeGatedSite(engine, { ...env, CORRAL_CLEANING_STEP_DEADLINE: '2' });
    await leave(alice);
    expect((await cleaningThat(service, ended('failed'))).reason).toContain('was not done at the deadline');
    for (const name of ['child', 'own']) await gone(Number(read(name)));
  });

  it('is ended when its step is skipped', async () => {
    const { env, read } = program('echo $$ > $1/own; exec sleep 1000');
    const { service, alice } = await makeGatedSite(engine, env);
    await leave(alice);
    const pid = Number(
      await eventually(() => {
        const written = read('own')?.trim() ?? '';
        return written === '' ? undefined : written;
      }),
    );
    const { cleaning } = await cleaningOf(service);
    await done(service.admin.post(`/cleaning/${cleaning}/skip`, { step: 'check', reason: 'it hangs' }));
    await cleaningThat(service, ended('passed'));
    await gone(pid);
  });

  it('is run again by the next process after a restart', async () => {
    const { env, read, write } = program('echo x >> $1/runs; while [ ! -e $1/go ]; do sleep 0.1; done');
    const { service, alice } = await makeGatedSite(engine, env);
    await leave(alice);
    await eventually(() => read('runs'));
    await service.stop();
    const again = await service.restart();
    onTestFinished(() => again.stop());
    await eventually(() => (read('runs') === 'x\nx\n' ? true : undefined));
    expect(await freeNodes(again)).toEqual([]);
    write('go', '');
    await cleaningThat(again, ended('passed'));
  });

  it('that is no longer configured does not pass for done', async () => {
    const { env, read } = program('echo x >> $1/runs; exec sleep 1000');
    const { service, alice } = await makeGatedSite(engine, env);
    await leave(alice);
    await eventually(() => read('runs'));
    await service.stop();
    const again = await service.restart({ CORRAL_CLEANING_STEPS: '', CORRAL_CLEANING_ENABLED: 'false' });
    onTestFinished(() => again.stop());
    const { reason, cleaning } = await cleaningThat(again, ended('failed'));
    expect(reason).toBe('step check: no step of this name and kind is configured any more');
    await done(again.admin.post(`/cleaning/${cleaning}/retry`));
    expect((await cleaningThat(again, ended('passed'))).steps.map(({ name }) => name)).not.toContain('check');
  });
});

/** Waits until there is no such process. One that nobody has waited for yet counts as none. */
const gone = (pid: number): Promise<true> =>
  eventually(() => {
    const file = `/proc/${pid}/stat`;
    return !existsSync(file) || readFileSync(file, 'utf8').includes(' Z ') ? true : undefined;
  });

describe.each(engines)('the gate before a maintenance pool on %s', (engine) => {
  const makePool = async (env: Readonly<Record<string, string>> = {}) => {
    const listener = await startListener();
    const pool = { CORRAL_MAINTENANCE_PROJECT: 'repair', CORRAL_MAINTENANCE_URL: listener.url };
    return { ...(await makeGatedSite(engine, { ...pool, ...env })), listener };
  };

  it('notifies the maintenance service when its own steps have passed, and is over when the node leaves the pool', async () => {
    const { service, machine, alice, listener } = await makePool();
    machine.fault = { on: ['create_token'], kind: 'status', status: 500 };
    await leave(alice);
    const { cleaning } = await cleaningThat(service, isStuckAt('power'));
    expect((await done(service.admin.get('/node/n1'))).body).toMatchObject({ project: 'repair' });
    expect(await message(service.admin.post('/project/repair/detach_node', { node: 'n1' }))).toContain(cleaning);
    expect(listener.heard).toEqual([]);
    machine.fault = null;
    await cleaningThat(service, ended('maintenance'));
    await eventually(() => (listener.heard.length === 1 ? true : undefined));
    expect(listener.heard[0]?.body).toEqual({ node: 'n1' });
    expect(await freeNodes(service)).toEqual([]);
    expect(machine.power).toBe('off');
    await done(service.admin.put('/node/n1/obm', { enabled: true }));
    await done(service.admin.put('/node/n1/obm', { enabled: false }));
    await leave(service.admin, 'n1', 'repair');
    expect((await cleaningOf(service)).state).toBe('passed');
    expect(await freeNodes(service)).toEqual(['n1']);
    expect(listener.heard).toHaveLength(1);
  });

  it('cleans a node, too, that an operator had put into the pool', async () => {
    const { service, alice, listener } = await makePool();
    await leave(alice);
    await cleaningThat(service, ended('maintenance'));
    await leave(service.admin, 'n1', 'repair');
    await reserve(service, 'repair', 'n1');
    await leave(service.admin, 'n1', 'repair');
    expect((await cleaningThat(service, ended('passed'))).project).toBe('repair');
    expect(await freeNodes(service)).toEqual(['n1']);
    expect(listener.heard).toHaveLength(1);
  });

  it('keeps a node in the pool that a project released for repair, and notifies nobody of it until it is retried', async () => {
    const { service, alice, listener, machine } = await makePool();
    const accepted = await alice.post('/project/red/release', { nodes: ['n1'], for_repair: 'fan is loud' });
    expect(accepted.status).toBe(202);
    await acceptedDone(service, accepted);
    const { cleaning, reason, steps } = await cleaningThat(service, ended('failed'));
    expect(reason).toBe('project red released it for repair: fan is loud');
    expect(new Set(steps.map(({ state }) => state))).toEqual(new Set(['pending']));
    expect((await done(service.admin.get('/node/n1'))).body).toMatchObject({ project: 'repair' });
    expect(await message(service.admin.post('/project/repair/detach_node', { node: 'n1' }))).toContain('fan is loud');
    expect(machine.power).toBe('on');
    expect(listener.heard).toEqual([]);
    await done(service.admin.post(`/cleaning/${cleaning}/retry`));
    await cleaningThat(service, ended('maintenance'));
    await eventually(() => (listener.heard.length === 1 ? true : undefined));
    await leave(service.admin, 'n1', 'repair');
    expect(await freeNodes(service)).toEqual(['n1']);
  });

  it('keeps a node in the pool that failed, until its cleaning has been retried', async () => {
    const { service, machine, alice } = await makePool({ CORRAL_CLEANING_DEADLINE: '0.05' });
    machine.fault = { on: ['boot_device'], kind: 'status', status: 500 };
    await leave(alice);
    const { cleaning } = await cleaningThat(service, ended('failed'));
    expect(await message(service.admin.post('/project/repair/detach_node', { node: 'n1' }))).toContain('quarantined');
    machine.fault = null;
    await done(service.admin.post(`/cleaning/${cleaning}/retry`));
    await cleaningThat(service, ended('maintenance'));
    expect(
      await message(service.admin.post(`/cleaning/${cleaning}/skip`, { step: 'maintenance', reason: 'x' })),
    ).toContain('cannot be skipped');
    await leave(service.admin, 'n1', 'repair');
    expect(await freeNodes(service)).toEqual(['n1']);
  });
});
