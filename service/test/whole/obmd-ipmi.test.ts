import { hasPart, type LabIpmiSim, startIpmiSim } from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import type { Answer, Client } from '../support/http/http-client.ts';
import { type ServiceWithDaemon, startServiceWithDaemon } from '../support/obm/service-with-daemon.ts';
import { childrenByName, CommandLines, heldTerminals } from '../support/obm/command-lines.ts';
import { setObm } from '../support/services/obm-rack.ts';
import { Talker } from '../support/obm/console-talker.ts';
import { Watcher } from '../support/obm/console-watcher.ts';
import { done, makeProject, makeUser, reserve } from '../support/services/world.ts';

const soon = { timeout: 20_000, interval: 20 };
const callTimeout = 4;
const env = {
  CORRAL_OBM_TIMEOUT: '20',
  CORRAL_OBMD_CALL_TIMEOUT: String(callTimeout),
  CORRAL_OBMD_CALL_GAP: '0.05',
  // Longer than it takes to see that a machine has gone off.
  CORRAL_OBMD_SOFT_GRACE: '5',
};
const passwords = { obedient: 'hush-obedient', deaf: 'hush-deaf', stuck: 'hush-stuck', wrong: 'hush-wrong' };

/*
 * The tests are chapters of one story: real BMCs that nobody here wrote, a real daemon, and a tenant who only knows the
 * service. Node `obedient` shuts down when its BMC asks, `deaf` does not; `locked` was registered with a wrong password.
 */
describe.skipIf(!hasPart('ipmi_sim')).each(engines)('machines behind IPMI, on %s', { timeout: 90_000 }, (engine) => {
  const undo: (() => Promise<unknown>)[] = [];
  const said: string[] = [];
  let household: ServiceWithDaemon;
  let alice: Client;
  let sims: Readonly<Record<'obedient' | 'deaf' | 'stuck', LabIpmiSim>>;
  let commandLines: CommandLines;

  beforeAll(async () => {
    const secrets = Object.values(passwords);
    commandLines = new CommandLines(secrets);
    undo.push(() => {
      commandLines.stop();
      return Promise.resolve();
    });
    const start = async (pass: string, obeysShutdown = true): Promise<LabIpmiSim> => {
      const sim = await startIpmiSim({ pass, obeysShutdown });
      undo.push(() => sim.stop());
      return sim;
    };
    sims = {
      obedient: await start(passwords.obedient),
      deaf: await start(passwords.deaf, false),
      stuck: await start(passwords.stuck),
    };
    household = await startServiceWithDaemon(engine, engine === 'sqlite' ? 'inside' : 'beside', env);
    undo.push(() => household.stop());
    const { service } = household;
    await makeProject(service, 'red');
    alice = noting(await makeUser(service, 'alice', 'red'), said);
    const nodes = { ...sims, locked: { ...(await start('hush-right')), pass: passwords.wrong } };
    for (const [node, { addr, port, user, pass }] of Object.entries(nodes)) {
      await household.addNode(node, 'ipmi', { addr, port, user, pass });
      await reserve(service, 'red', node);
    }
  });
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });

  const statusOf = async (node: string): Promise<unknown> => (await done(alice.get(`/node/${node}/power_status`))).body;
  const powerful = (told: readonly string[]): readonly string[] =>
    told.filter((one) => one.startsWith('power ') || one.startsWith('shutdown '));
  /** What the chassis is told by a call, until it has been told all of this. */
  const tells = async (sim: LabIpmiSim, order: () => Promise<Answer>, ...told: readonly string[]): Promise<void> => {
    const before = powerful(await sim.told()).length;
    await done(order());
    await expect.poll(async () => powerful(await sim.told()).slice(before), soon).toEqual(told);
  };

  it('says 409 until OBM is enabled', async () => {
    expect((await alice.get('/node/obedient/power_status')).status).toBe(409);
    for (const node of ['obedient', 'deaf', 'stuck', 'locked']) await setObm(alice, true, node);
  });

  it('goes on, off and on again', async () => {
    const sim = sims.obedient;
    expect(await statusOf('obedient')).toEqual({ power_status: 'off' });
    await tells(sim, () => alice.post('/node/obedient/power_on'), 'power 1');
    expect(await statusOf('obedient')).toEqual({ power_status: 'on' });
    await tells(sim, () => alice.post('/node/obedient/power_off'), 'power 0');
    expect(await statusOf('obedient')).toEqual({ power_status: 'off' });
    await done(alice.post('/node/obedient/power_off'));
    await done(alice.post('/node/obedient/power_on'));
    await done(alice.post('/node/obedient/power_on'));
    expect(await sim.power()).toBe('on');
    expect(await statusOf('obedient')).toEqual({ power_status: 'on' });
  });

  it('is cycled at once by force', async () => {
    await tells(sims.obedient, () => alice.post('/node/obedient/power_cycle', { force: true }), 'power 0', 'power 1');
    expect(await sims.obedient.bootDevice()).toBe('pxe');
  });

  it('is cycled softly: the operating system goes down by itself, and it comes up again', async () => {
    await tells(sims.obedient, () => alice.post('/node/obedient/power_cycle'), 'shutdown 1', 'power 0', 'power 1');
    await expect.poll(() => statusOf('obedient'), soon).toEqual({ power_status: 'on' });
  });

  it('is cycled the hard way if its operating system does not listen', async () => {
    await done(alice.post('/node/deaf/power_on'));
    await done(alice.put('/node/deaf/boot_device', { bootdev: 'disk' }));
    await tells(sims.deaf, () => alice.post('/node/deaf/power_cycle', {}), 'shutdown 1', 'power 0', 'power 1');
    expect(await sims.deaf.bootDevice()).toBe('pxe');
  });

  it.each([{}, { force: true }])('is turned on by a cycle when it is off: %j', async (body) => {
    await done(alice.post('/node/obedient/power_off'));
    await tells(sims.obedient, () => alice.post('/node/obedient/power_cycle', body), 'power 1');
  });

  it('boots from where it is set to, and an unknown device is a 400', async () => {
    for (const bootdev of ['disk', 'pxe', 'none']) {
      await done(alice.put('/node/obedient/boot_device', { bootdev }));
      expect(await sims.obedient.bootDevice()).toBe(bootdev);
    }
    const answer = await alice.put('/node/obedient/boot_device', { bootdev: 'floppy' });
    expect(answer).toMatchObject({ status: 400, body: { type: 'BadArgumentError' } });
    expect(answer.text).toContain('pxe, disk, none');
    expect(await sims.obedient.bootDevice()).toBe('none');
  });

  it('has a console that is read by one client and typed to by another, who takes it over', async () => {
    const { service } = household;
    const sim = sims.obedient;
    const watcher = new Watcher(service, alice, 'obedient');
    await expect.poll(() => watcher.status, soon).toBe(200);
    await sim.say('to the watcher\r\n');
    await expect.poll(() => watcher.text, soon).toContain('to the watcher');

    const first = new Talker(service, alice, { node: 'obedient' });
    await expect.poll(() => first.status, soon).toBe(101);
    await expect.poll(() => watcher.end, soon).toBe('clean');
    expect(watcher.text).toContain('[console: another client has taken over this console]');
    await sim.say('to the first\r\n');
    await expect.poll(() => first.text, soon).toContain('to the first');
    for (const typed of ['ls -l\r', 'whoami\r', '~.', '\x03']) {
      first.type(typed);
      await expect.poll(() => sim.typed().toString('latin1'), soon).toContain(typed);
    }

    const second = new Talker(service, alice, { node: 'obedient' });
    await expect.poll(() => second.status, soon).toBe(101);
    await expect
      .poll(() => first.end, soon)
      .toEqual({ code: 4000, reason: 'another client has taken over this console' });
    await sim.say('to the second\r\n');
    await expect.poll(() => second.text, soon).toContain('to the second');
    expect(first.text + watcher.text).not.toContain('to the second');
    second.type('exit\r');
    await expect.poll(() => sim.typed().toString('latin1'), soon).toContain('exit\r');
  });

  it.each(['a stream', 'a WebSocket'])('cuts %s off when OBM is disabled', async (kind) => {
    const { service } = household;
    const client =
      kind === 'a stream' ? new Watcher(service, alice, 'obedient') : new Talker(service, alice, { node: 'obedient' });
    await expect.poll(() => client.status, soon).toBe(kind === 'a stream' ? 200 : 101);
    await sims.obedient.say('before\r\n');
    await expect.poll(() => client.text, soon).toContain('before');
    await setObm(alice, false, 'obedient');
    // Whoever is no longer allowed to has no process on the BMC either.
    expect(childrenByName('ipmitool')).toEqual([]);
    if (client instanceof Watcher) {
      await expect.poll(() => client.end, soon).toBe('clean');
      expect(client.text).toContain('[console: access to this node was disabled]');
    } else {
      await expect.poll(() => client.end, soon).toEqual({ code: 4000, reason: 'access to this node was disabled' });
    }
    for (const path of ['power_status', 'console']) {
      expect((await alice.get(`/node/obedient/${path}`)).status).toBe(409);
    }
    for (const path of ['power_on', 'power_off', 'power_cycle']) {
      expect((await alice.post(`/node/obedient/${path}`)).status).toBe(409);
    }
    expect((await alice.put('/node/obedient/boot_device', { bootdev: 'pxe' })).status).toBe(409);
    await setObm(alice, true, 'obedient');
    expect(await statusOf('obedient')).toEqual({ power_status: 'on' });
  });

  it('with a wrong password says so, and neither where the BMC is nor how one logs in', async () => {
    const answers = [
      await alice.get('/node/locked/power_status'),
      await alice.post('/node/locked/power_on'),
      await alice.get('/node/locked/console'),
    ];
    for (const answer of answers) {
      expect(answer, answer.text).toMatchObject({ status: 502, body: { type: 'OBMError' } });
      expect(answer.text).toContain('rejects the registered user name and password');
      expect(answer.text).toContain('ask an administrator to register the node again');
      for (const secret of [...Object.values(passwords), `${sims.obedient.port}`]) {
        expect(answer.text).not.toContain(secret);
      }
    }
    const talker = new Talker(household.service, alice, { node: 'locked' });
    await expect.poll(() => talker.status, soon).toBe(502);
    expect(talker.refusal).toContain('rejects the registered user name and password');
  });

  it('whose BMC hangs says so in time, and nobody waits for it', async () => {
    await sims.stuck.hang();
    const began = Date.now();
    const hanging = [
      alice.get('/node/stuck/power_status'),
      alice.post('/node/stuck/power_on'),
      alice.get('/node/stuck/console'),
    ];
    while (await isPending(Promise.any(hanging))) expect(await statusOf('obedient')).toEqual({ power_status: 'on' });
    for (const answer of await Promise.all(hanging)) {
      expect(answer, answer.text).toMatchObject({ status: 502, body: { type: 'OBMError' } });
      expect(answer.text).toMatch(/did not answer within 4 s|does not answer/);
      expect(answer.text).not.toContain(passwords.stuck);
    }
    expect(Date.now() - began).toBeLessThan(callTimeout * 1_000 + 4_000);
    // And access can be taken away while it hangs.
    await setObm(alice, false, 'stuck');
    await sims.stuck.recover();
    await setObm(alice, true, 'stuck');
    expect(await statusOf('stuck')).toEqual({ power_status: 'off' });
  });

  it('leaves nothing behind, and tells its passwords nobody', async () => {
    await household.stop();
    await expect.poll(() => childrenByName('ipmitool'), soon).toEqual([]);
    expect(heldTerminals()).toEqual([]);
    expect(commandLines.tools).toBeGreaterThan(20);
    expect([...commandLines.leaks]).toEqual([]);
    const all = household.log() + said.join('\n');
    const secrets = [...Object.values(passwords), household.adminToken];
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  });
});

const isPending = async (work: Promise<unknown>): Promise<boolean> => {
  const nothing = Symbol('nothing');
  return (await Promise.race([work, new Promise((resolve) => setImmediate(resolve, nothing))])) === nothing;
};

/** The same client, with all that it is answered written down. */
const noting = (client: Client, said: string[]): Client => {
  const note = async (answer: Promise<Answer>): Promise<Answer> => {
    said.push((await answer).text);
    return answer;
  };
  return {
    headers: client.headers,
    send: (...args) => note(client.send(...args)),
    get: (...args) => note(client.get(...args)),
    put: (...args) => note(client.put(...args)),
    post: (...args) => note(client.post(...args)),
    patch: (...args) => note(client.patch(...args)),
    del: (...args) => note(client.del(...args)),
  };
};
