import { describe, expect, it, onTestFinished } from 'vitest';
import { type Daemon, daemonForTest, done, message, refusal } from './support/daemon.ts';
import { type ScriptedNode, makeScriptedNode } from './support/scripted-bmc-node.ts';
import { type EngineName, engines } from './support/obmd-engines.ts';
import { makeNode } from './support/token-holder.ts';
import { soon } from './support/console-watchers.ts';

const numbered = Array.from({ length: 40 }, (_, index) => `d${index}`);

const makeSite = (env: Readonly<Record<string, string>> = {}, engine: EngineName = 'sqlite'): Promise<ScriptedNode> =>
  makeScriptedNode({ engine, env, bootDevices: numbered });

const patient = { CORRAL_OBMD_CALL_TIMEOUT: '20' };

/** Asks for things one after the other, each when the daemon has the one before. */
const asked = async ({ daemon, tenant }: ScriptedNode, devices: readonly string[]): Promise<Promise<string>[]> => {
  const answers: Promise<string>[] = [];
  for (const device of devices) {
    const waiting = await waitingAt(daemon);
    answers.push(tenant.bootFrom(device).then(({ status, text }) => `${status} ${text}`));
    await expect.poll(() => waitingAt(daemon), { timeout: 10_000, interval: 5 }).toBe(waiting + 1);
  }
  return answers;
};

const waitingAt = async (daemon: Daemon): Promise<number> => {
  const { text } = await daemon.send('GET', '/metrics');
  return Number(/^obmd_calls_waiting (\d+)$/m.exec(text)?.[1]);
};

describe('calls to one BMC', () => {
  it('are made one at a time, in the order of asking', async () => {
    const site = await makeSite(patient);
    const { bmc, tenant } = site;
    const release = bmc.hold();
    const first = tenant.bootFrom('d0');
    await soon(() => bmc.running).toEqual(['d0']);
    const rest = await asked(site, numbered.slice(1, 12));
    expect(bmc.running).toEqual(['d0']);
    let most = 0;
    bmc.effect = () => (most = Math.max(most, bmc.running.length));
    release();
    await done(first);
    expect(new Set(await Promise.all(rest))).toEqual(new Set(['200 ']));
    expect(bmc.done).toEqual(numbered.slice(0, 12));
    expect(most).toBe(1);
  });

  it('have a pause between them', async () => {
    const { bmc, tenant } = await makeSite({ CORRAL_OBMD_CALL_GAP: '0.2' });
    const times: number[] = [];
    bmc.effect = () => times.push(performance.now());
    await Promise.all([1, 2, 3].map((n) => done(tenant.bootFrom(`d${n}`))));
    const [first = 0, second = 0, third = 0] = times;
    expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(190);
  });

  it('are refused when too many wait, with a time to come back', async () => {
    const site = await makeSite(patient);
    const { bmc, tenant } = site;
    const release = bmc.hold();
    const first = tenant.bootFrom('d0');
    await soon(() => bmc.running).toEqual(['d0']);
    const rest = Promise.all(numbered.slice(1, 33).map((device) => tenant.bootFrom(device)));
    await expect.poll(() => waitingAt(site.daemon), { timeout: 10_000 }).toBe(32);
    const refused = await tenant.bootFrom('d33');
    expect(await refusal(Promise.resolve(refused))).toBe('503 BusyError');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    release();
    await done(first);
    for (const { status } of await rest) expect(status).toBe(200);
    await done(tenant.bootFrom('d33'));
    expect((await site.daemon.admin('GET', '/node/n1')).body).toMatchObject({ fault: null });
  });

  it('are one call when many ask for the power at once, and nobody gets an answer from before it asked', async () => {
    const site = await makeSite(patient);
    const { bmc, tenant } = site;
    bmc.power = 'off';
    const release = bmc.hold();
    const first = tenant.status();
    await soon(() => bmc.running).toEqual(['power_status']);
    const rest = Promise.all(Array.from({ length: 60 }, () => tenant.status()));
    await expect.poll(() => waitingAt(site.daemon)).toBe(1);
    const probe = tenant.bootFrom('d1');
    await expect.poll(() => waitingAt(site.daemon)).toBe(2);
    release();
    await done(first);
    for (const answer of await rest) expect(answer).toMatchObject({ status: 200, body: { power_status: 'off' } });
    await done(probe);
    expect(bmc.done).toEqual(['power_status', 'power_status', 'd1']);
    bmc.power = 'on';
    expect((await tenant.status()).body).toEqual({ power_status: 'on' });
  });
});

describe('a BMC that hangs', () => {
  it('is given its time and no more, and delays no other node', async () => {
    const daemon = await daemonForTest('sqlite');
    const { tenant } = await makeNode(daemon, 'n1', 'hang=power_on');
    const { tenant: other } = await makeNode(daemon, 'n2');
    const begun = performance.now();
    const hanging = tenant.order('power_on');
    expect(await Promise.race([hanging, done(other.order('power_on'))])).toMatchObject({ status: 200 });
    expect(await refusal(hanging)).toBe('502 BmcError');
    expect(await message(hanging)).toBe('the BMC of node n1 did not answer within 1 s; try again later');
    expect(performance.now() - begun).toBeLessThan(8_000);
    await done(tenant.status());
  });

  it('is reported as such to the callers behind it, within their own time', async () => {
    const daemon = await daemonForTest('sqlite');
    const { tenant, machine } = await makeNode(daemon, 'n1', 'hang=power_on');
    const begun = performance.now();
    const all = [tenant.order('power_on'), ...[1, 2, 3].map(() => tenant.bootFrom('disk'))];
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(performance.now() - begun).toBeLessThan(8_000);
    expect(statuses[0]).toBe(502);
    expect(machine.boots).toBe(0);
  });

  it('lets a driver that does not let go have the next call wait, but not for ever', async () => {
    const { bmc, tenant } = await makeSite({ CORRAL_OBMD_CALL_TIMEOUT: '0.3' });
    const release = bmc.hold();
    onTestFinished(release);
    expect(await refusal(tenant.bootFrom('d1'))).toBe('502 BmcError');
    expect(await refusal(tenant.bootFrom('d2'))).toBe('502 BmcError');
    expect(bmc.done).toEqual(['d1']);
    bmc.before = () => Promise.resolve();
    await expect.poll(async () => (await tenant.bootFrom('d3')).status, { timeout: 9_000, interval: 300 }).toBe(200);
    expect(bmc.done).not.toContain('d2');
  });
});

describe.each(engines)('when the token is voided on %s', (engine) => {
  it.each([
    ['by its end', 'DELETE', '/node/n1/token'],
    ['by a new one', 'POST', '/node/n1/token'],
    ['by registering the node anew', 'PUT', '/node/n1'],
    ['by deleting the node', 'DELETE', '/node/n1'],
  ])('%s, nothing that was asked with it is done any more', async (_how, method, path) => {
    const site = await makeSite(patient, engine);
    const { daemon, bmc, tenant } = site;
    const release = bmc.hold();
    const first = tenant.bootFrom('d0');
    await soon(() => bmc.running).toEqual(['d0']);
    const queued = await asked(site, ['d1', 'd2', 'd3']);
    const voided = daemon.admin(method, path, method === 'PUT' ? { type: 'double', info: {} } : undefined);
    let isAnswered = false;
    void voided.finally(() => (isAnswered = true));
    for (const answer of queued) expect(await answer).toMatch(/^401 .*no longer valid/);
    expect(await refusal(first)).toBe('401 AuthorizationError');
    // What has begun cannot be undone, so the answer waits for its end, whatever else is answered meanwhile.
    for (let asking = 0; asking < 5; asking += 1) await done(daemon.admin('GET', '/nodes'));
    expect([bmc.running, isAnswered]).toEqual([['d0'], false]);
    release();
    await done(voided);
    expect(bmc.running).toEqual([]);
    const next = method === 'POST' ? ((await voided).body as { token: string }).token : null;
    if (next !== null)
      await done(daemon.send('PUT', `/node/n1/boot_device?token=${next}`, { body: { bootdev: 'd9' } }));
    expect(bmc.done).toEqual(next === null ? ['d0'] : ['d0', 'd9']);
  });

  it('the answer comes soon, however the BMC hangs', async () => {
    const daemon = await daemonForTest(engine, { env: patient });
    const { tenant } = await makeNode(daemon, 'n1', 'hang=all');
    const asking = [tenant.order('power_on'), tenant.order('power_off'), daemon.send('GET', tenant.path('console'))];
    await expect.poll(() => waitingAt(daemon)).toBe(2);
    const begun = performance.now();
    await done(daemon.admin('DELETE', '/node/n1/token'));
    expect(performance.now() - begun).toBeLessThan(8_000);
    for (const answer of asking) expect(await refusal(answer)).toBe('401 AuthorizationError');
  });
});

it('a driver that does not let go holds up the end of a token, but not for ever', async () => {
  const { daemon, bmc, tenant } = await makeSite(patient);
  const release = bmc.hold();
  onTestFinished(release);
  const asking = tenant.bootFrom('d0');
  await soon(() => bmc.running).toEqual(['d0']);
  const begun = performance.now();
  await done(daemon.admin('DELETE', '/node/n1/token'));
  expect(performance.now() - begun).toBeLessThan(8_000);
  expect(await refusal(asking)).toBe('401 AuthorizationError');
});
