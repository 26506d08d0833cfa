import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import {
  expectNoSecrets,
  labObmd,
  makeEnabledRack,
  makeRack,
  patient,
  type Rack,
  replicaOf,
  setObm,
} from '../support/services/obm-rack.ts';
import { runSql } from '../support/services/run-sql.ts';
import { Watcher } from '../support/obm/console-watcher.ts';
import { eventually, makeProject, makeUser } from '../support/services/world.ts';

const within = { timeout: 15_000, interval: 10 };
const soon = <T>(read: () => T) => expect.poll(read, within);

/** A client that has the console: the daemon streams to it. */
const watching = async ({ service, alice, machine }: Rack, on = service): Promise<Watcher> => {
  const before = machine.watched;
  const watcher = new Watcher(on, alice);
  await soon(() => machine.watched).toBeGreaterThan(before);
  machine.print('hello\r\n');
  await soon(() => watcher.text).toBe('hello\r\n');
  return watcher;
};

const recorded = ({ service }: Rack) =>
  runSql(service, { sqlite: 'select * from consoles', postgres: 'select * from consoles' });

/** Waits until a number has stopped growing. */
const stalled = async (read: () => number): Promise<number> => {
  let last = -1;
  let times = 0;
  return eventually(() => {
    times = read() === last ? times + 1 : 0;
    last = read();
    // As long as nothing was sent, nobody has the console yet.
    return last > 0 && times > 20 ? last : undefined;
  });
};

describe.each(engines)('the console on %s', (engine) => {
  it('is a stream of bytes, passed on as they come', async () => {
    const rack = await makeEnabledRack(engine);
    const watcher = await watching(rack);
    expect(watcher.status).toBe(200);
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    rack.machine.print(every);
    await soon(() => watcher.bytes.subarray(7).equals(every)).toBe(true);
    rack.machine.powerOn();
    await soon(() => watcher.text).toContain('booting');
    expect((await rack.service.admin.get('/events?type=show_console&node=n1')).body).toMatchObject({
      events: [{ type: 'show_console', caller: 'alice', project: 'red' }],
    });
  });

  it('answers at once, even if it has nothing to say', async () => {
    const { service, alice } = await makeEnabledRack(engine);
    const watcher = new Watcher(service, alice);
    await soon(() => watcher.status).toBe(200);
    expect(watcher.end).toBe('open');
  });

  it('is for those who may give orders, while OBM is enabled', async () => {
    const { service, alice, obmd } = await makeRack(engine);
    await makeProject(service, 'blue');
    const bob = await makeUser(service, 'bob', 'blue');
    expect((await alice.get('/node/n1/console')).status).toBe(409);
    expect((await bob.get('/node/n1/console')).status).toBe(401);
    expect((await service.anonymous.get('/node/n1/console')).status).toBe(401);
    expect((await alice.get('/node/missing/console')).status).toBe(404);
    expect(obmd.calls).toEqual([]);
  });

  it.each(['replace', 'refuse'] as const)('goes to the second client; daemon: %s', async (secondConsole) => {
    const rack = await makeEnabledRack(engine, { obmd: { secondConsole } });
    const first = await watching(rack);
    const second = await watching(rack);
    await soon(() => first.end).toBe('clean');
    expect(first.text).toBe('hello\r\n\r\n[console: another client has taken over this console]\r\n');
    expect(second.end).toBe('open');
    expect(await recorded(rack)).toHaveLength(1);
  });

  it('says who has it open, to those who could take it over', async () => {
    const rack = await makeEnabledRack(engine);
    const { service, alice } = rack;
    const ask = async (client: Pick<typeof alice, 'get'>) => (await client.get('/node/n1/console/client')).body;
    expect(await ask(alice)).toEqual({ client: null });
    await watching(rack);
    expect(await ask(alice)).toEqual({
      client: { caller: 'alice', since: expect.stringMatching(/^\d{4}-.*Z$/) as string },
    });
    const { watched } = rack.machine;
    const taken = new Watcher(service, service.admin);
    await soon(() => rack.machine.watched).toBeGreaterThan(watched);
    expect(await ask(alice)).toMatchObject({ client: { caller: 'admin' } });
    expect(taken.end).toBe('open');
    taken.leave();
    await soon(() => ask(alice)).toEqual({ client: null });

    await makeProject(service, 'blue');
    const bob = await makeUser(service, 'bob', 'blue');
    expect((await bob.get('/node/n1/console/client')).status).toBe(401);
    expect((await alice.get('/node/missing/console/client')).status).toBe(404);
  });

  it('is cut off when OBM is disabled', async () => {
    const rack = await makeEnabledRack(engine);
    const watcher = await watching(rack);
    await setObm(rack.alice, false);
    await soon(() => watcher.end).toBe('clean');
    expect(rack.machine.isWatched).toBe(false);
    expect(await recorded(rack)).toEqual([]);
    expect((await rack.alice.get('/node/n1/console')).status).toBe(409);
  });

  it('ends when the daemon ends it, and can be had again', async () => {
    const rack = await makeEnabledRack(engine);
    const watcher = await watching(rack);
    rack.machine.disconnect();
    await soon(() => watcher.end).toBe('clean');
    await watching(rack);
  });

  it('lets go of the daemon when the client goes', async () => {
    const rack = await makeEnabledRack(engine);
    const watcher = await watching(rack);
    watcher.leave();
    await soon(() => rack.machine.isWatched).toBe(false);
    await eventually(async () => ((await recorded(rack)).length === 0 ? true : undefined));
  });

  it('lets go of the daemon when the client goes before there is an answer', async () => {
    const { service, alice, obmd, machine } = await makeEnabledRack(engine, { env: patient });
    machine.fault = { kind: 'hang', on: ['console'] };
    const watcher = new Watcher(service, alice);
    await soon(() => obmd.calls.at(-1)?.path).toBe('/node/n1/console');
    watcher.leave();
    machine.fault = null;
    // The lease on the daemon's console is free again at once, not after the time-out.
    await watching({ service, alice, obmd, machine });
  });

  it('ends with the service', async () => {
    const rack = await makeEnabledRack(engine);
    const watcher = await watching(rack);
    await rack.service.stop();
    await soon(() => watcher.end).toBe('clean');
    await soon(() => rack.machine.isWatched).toBe(false);
  });

  it('cut off by somebody else before the daemon answered is just a short one', async () => {
    const rack = await makeEnabledRack(engine, { env: patient });
    rack.machine.fault = { kind: 'hang', on: ['console'] };
    const first = new Watcher(rack.service, rack.alice);
    await soon(() => rack.obmd.calls.at(-1)?.path).toBe('/node/n1/console');
    rack.machine.fault = null;
    await watching(rack);
    await soon(() => first.end).toBe('clean');
    expect(first.status).toBe(200);
    expect(first.text).toContain('taken over');
  });

  it('cut off by disabling OBM before the daemon answered is a 409', async () => {
    const { service, alice, obmd, machine } = await makeEnabledRack(engine, { env: patient });
    machine.fault = { kind: 'hang', on: ['console'] };
    const watcher = new Watcher(service, alice);
    await soon(() => obmd.calls.at(-1)?.path).toBe('/node/n1/console');
    await setObm(alice, false);
    await soon(() => watcher.status).toBe(409);
  });

  it.each(['replace', 'refuse'] as const)('goes to exactly one of many; daemon: %s', async (secondConsole) => {
    const rack = await makeEnabledRack(engine, { obmd: { secondConsole }, env: patient });
    const watchers = Array.from({ length: 12 }, () => new Watcher(rack.service, rack.alice));
    const winner = await eventually(() => {
      const open = watchers.filter(({ end }) => end === 'open');
      return open.length === 1 && rack.machine.isWatched ? open[0] : undefined;
    });
    rack.machine.print('for one only');
    await soon(() => winner.text).toBe('for one only');
    for (const loser of watchers)
      if (loser !== winner) {
        // On a busy machine one that does not read its end within two seconds is cut off.
        expect(loser.end).not.toBe('open');
        expect(loser.text).not.toContain('for one only');
      }
  });

  it('is paused while the client does not read, and costs no memory', async () => {
    const { service, alice, machine } = await makeEnabledRack(engine);
    machine.fault = { kind: 'flood', on: ['console'] };
    const before = process.memoryUsage().arrayBuffers;
    const watcher = new Watcher(service, alice, 'n1', 'stalls');
    await soon(() => watcher.status).toBe(200);
    const sent = await stalled(() => machine.sent);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    expect(machine.isWatched).toBe(true);
    watcher.read();
    await soon(() => machine.sent).toBeGreaterThan(sent + 1024 * 1024);
    watcher.leave();
    await soon(() => machine.isWatched).toBe(false);
  });

  it('is taken even from a client that does not read', async () => {
    const rack = await makeEnabledRack(engine);
    rack.machine.fault = { kind: 'flood', on: ['console'] };
    const first = new Watcher(rack.service, rack.alice, 'n1', 'stalls');
    await soon(() => first.status).toBe(200);
    await stalled(() => rack.machine.sent);
    rack.machine.fault = null;
    const second = await watching(rack);
    await eventually(async () => {
      const rows = await recorded(rack);
      return rows.length === 1 ? true : undefined;
    });
    first.read();
    await soon(() => first.end).not.toBe('open');
    expect(second.end).toBe('open');
  });
});

describe.each(engines)('the console of a bad OBM daemon on %s', (engine) => {
  it('is a 502', async () => {
    const { alice, machine } = await makeEnabledRack(engine);
    const elsewhere = await labObmd();
    elsewhere.add('n1');
    for (const fault of [
      { kind: 'status', status: 500 },
      { kind: 'status', status: 404 },
      { kind: 'redirect', to: `${elsewhere.uri('n1')}/console` },
      { kind: 'drop' },
      { kind: 'noise' },
      { kind: 'hang' },
    ] as const) {
      machine.fault = fault;
      const answer = await alice.get('/node/n1/console');
      expect(answer, fault.kind).toMatchObject({ status: 502, body: { type: 'OBMError' } });
      expectNoSecrets(answer.text, machine);
    }
    expect(elsewhere.calls).toEqual([]);
  });

  it('is a 502 if the token is refused', async () => {
    const { alice, machine } = await makeEnabledRack(engine);
    machine.token = 'forgotten';
    expect((await alice.get('/node/n1/console')).status).toBe(502);
  });
});

describe.runIf(engines.includes('postgres'))('the console through several replicas', () => {
  it('goes to the second client, wherever it is connected', async () => {
    const rack = await makeEnabledRack('postgres');
    const replica = await replicaOf(rack.service);
    const first = await watching(rack);
    const second = await watching(rack, replica);
    await soon(() => first.end).toBe('clean');
    const third = await watching(rack);
    await soon(() => second.end).toBe('clean');
    await setObm(replica.as('alice'), false);
    await soon(() => third.end).toBe('clean');
  });

  it('goes to exactly one of many', async () => {
    const rack = await makeEnabledRack('postgres', { env: patient });
    const replica = await replicaOf(rack.service);
    const watchers = Array.from(
      { length: 12 },
      (_, index) => new Watcher(index % 2 === 0 ? rack.service : replica, rack.alice),
    );
    const winner = await eventually(() => {
      const open = watchers.filter(({ end }) => end === 'open');
      return open.length === 1 && rack.machine.isWatched ? open[0] : undefined;
    });
    rack.machine.print('for one only');
    await soon(() => winner.text).toBe('for one only');
  });
});
