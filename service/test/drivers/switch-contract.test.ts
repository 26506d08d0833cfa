import { hasPart, type LabPort } from '@corral/lab';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isRefusal, type PortConfig, type SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { switchDrivers } from '../../src/drivers/switches/switch-drivers.ts';
import { checkOf, inBody } from '@corral/base/schema/schema-check';
import { devices, startTrial, type Trial } from '../support/switches/switch-devices.ts';
import { expectNoStrangeMoment } from '../support/switches/foreign-vlans.ts';

const types = Object.keys(switchDrivers({ simulatedSwitches: 'nowhere' }));
const runnable = types.filter((type) => {
  const needs = devices[type]?.needs;
  return needs === null || (needs !== undefined && hasPart(needs));
});
/** Real switches show no moments: `packets/changing.test.ts` watches their frames. A simulated one writes states whole. */
const watchedByFrames = ['ovs', 'vde', 'mock'];
/** Drivers that do not ask for the addresses that a switch has learned. */
const tellNoAddresses = ['brocade', 'dellnos9', 'dell-os10', 'delln3000', 'powerconnect55xx'];
const learnFromFrames = ['ovs', 'vde'];
const nothing: LabPort = { native: null, tagged: [] };
const amply = () => AbortSignal.timeout(50_000);
const soon = () => AbortSignal.timeout(300);

/** Ways to write the name of a port that somebody may try. */
const spellingsOf = (name: string): readonly string[] => [
  name.toUpperCase(),
  name.toLowerCase(),
  ...[' ', '  ', '/', '-'].map((between) => name.replace(/(?<=[A-Za-z])(?=\d)/, between)),
  ...[...name.matchAll(/\d+/g)].map(({ index }) => `${name.slice(0, index)}0${name.slice(index)}`),
  ...['.0', '.', '/', ' ', ':0', ':1'].map((end) => `${name}${end}`),
  ...[' ', '/', '0'].map((begin) => `${begin}${name}`),
  name.replace('/', '//'),
  name.replaceAll('/', '-'),
  name.replaceAll('/', ' / '),
  name.replace(/^\D+/, ''),
];

it('every driver of the registry has a device to be tried on', () => {
  expect(Object.keys(devices).sort()).toEqual(types.sort());
});

describe.each(runnable)('the switch driver %s', (type) => {
  let trial: Trial;
  const sessions: SwitchSession[] = [];

  beforeAll(async () => {
    trial = await startTrial(type);
  });
  afterEach(async () => {
    trial.device.breakLine(null);
    await Promise.all(sessions.splice(0).map((session) => session.close()));
  });
  afterAll(() => trial.stop());

  const open = async (): Promise<SwitchSession> => {
    const session = await trial.driver.open({ label: 'sw', config: trial.device.fields }, amply());
    sessions.push(session);
    return session;
  };
  const port = (index: number): string => {
    const name = trial.device.ports[index];
    const normal = name === undefined ? undefined : trial.driver.portName(name);
    if (typeof normal !== 'string') throw new Error(`the device has no port number ${index}, or no name for it`);
    return normal;
  };
  /** A driver that needs a native VLAN beside tagged ones says so; it is never asked for less. */
  const needsNative = () => !trial.driver.capabilities.includes('nativeless-trunk-mode');
  const tagged = (...vlans: number[]): LabPort => ({ native: needsNative() ? 99 : null, tagged: vlans });
  const apply = async (session: SwitchSession, states: readonly PortConfig[]): Promise<void> => {
    const outcomes = await session.apply(states, amply());
    expect(outcomes.filter(({ applied }) => !applied)).toEqual([]);
    expect(outcomes.map(({ port }) => port).sort()).toEqual(states.map(({ port }) => port).sort());
  };
  const read = async (session: SwitchSession, name: string): Promise<LabPort | undefined> => {
    const state = (await session.read([name], amply())).find(({ port }) => port === name);
    return state && { native: state.native, tagged: state.tagged };
  };
  /** The driver, and the device itself, say that the port carries this. */
  const expectCarried = async (session: SwitchSession, name: string, state: LabPort): Promise<void> => {
    expect(await read(session, name)).toEqual(state);
    expect(await trial.device.carried(name)).toEqual(state);
  };

  it('accepts the fields that reach its device, and takes no unknown one', () => {
    const check = checkOf(trial.driver.config, inBody);
    expect(check(trial.device.fields)).toEqual([]);
    expect(check({ ...trial.device.fields, no_such_field: 1 })).not.toEqual([]);
  });

  it('never lets a line break or a control character into a port name', () => {
    for (const bad of ['1\n2', '1\r', '\u0000', '1\u001b[2J']) {
      const name = trial.driver.portName(bad);
      if (type !== 'mock') expect(name).toHaveProperty('refused');
    }
  });

  it('normalises port names once and for all', () => {
    for (const name of trial.device.ports.slice(0, 3)) {
      const normal = trial.driver.portName(name);
      if (typeof normal !== 'string') throw new Error(`${name} is no port for the driver: ${normal.refused}`);
      expect(trial.driver.portName(normal)).toBe(normal);
    }
  });

  it('takes every spelling of a port for the same port, or for none', () => {
    // Names in an Open vSwitch are whatever somebody gave: each spelling is a port of its own. So in a simulated switch.
    if (type === 'ovs' || type === 'mock') return;
    const normalOf = (name: string): string | null => {
      const normal = trial.driver.portName(name);
      return typeof normal === 'string' ? normal : null;
    };
    const known = new Set(trial.device.ports.map(normalOf));
    for (const name of [trial.device.ports[0] ?? '', trial.device.ports.at(-1) ?? '']) {
      const normal = normalOf(name) ?? '';
      for (const spelling of spellingsOf(name)) {
        const read = normalOf(spelling);
        if (read === null || read === normal || known.has(read)) continue;
        // What is not another port of the device is a lane of this one, which cannot be registered beside it.
        expect(trial.driver.wire?.(read), `${spelling} is read as ${read}`).toContain(
          `${trial.driver.wire?.(normal) ?? normal}/`,
        );
      }
    }
  });

  it.each<[string, () => LabPort]>([
    ['one untagged VLAN', () => ({ native: 100, tagged: [] })],
    ['an untagged VLAN and tagged ones', () => ({ native: 100, tagged: [101, 102, 200] })],
    ['tagged VLANs', () => tagged(101, 300)],
    [
      'many tagged VLANs, as devices wrap their lists',
      () => tagged(...Array.from({ length: 60 }, (_, i) => 500 + 3 * i)),
    ],
    ['another untagged VLAN', () => ({ native: 200, tagged: [] })],
    ['nothing', () => nothing],
  ])('sets a port to %s, twice, and reads it back', async (_, state) => {
    const session = await open();
    await apply(session, [{ port: port(0), ...state() }]);
    await expectCarried(session, port(0), state());
    await apply(session, [{ port: port(0), ...state() }]);
    await expectCarried(session, port(0), state());
  });

  it('takes everything from a port, and nothing passes', async () => {
    const session = await open();
    await apply(session, [
      { port: port(1), native: 100, tagged: [101] },
      { port: port(2), native: 100, tagged: [101] },
    ]);
    await apply(session, [{ port: port(1), ...nothing }]);
    await expectCarried(session, port(1), nothing);
    await expectCarried(session, port(2), { native: 100, tagged: [101] });
    await apply(session, [{ port: port(2), ...nothing }]);
  });

  it('sees what others did to a port, and puts it right', async () => {
    const session = await open();
    await apply(session, [{ port: port(3), ...nothing }]);
    await trial.device.tamper(port(3), { native: 700, tagged: [] });
    await expectCarried(session, port(3), { native: 700, tagged: [] });
    await apply(session, [{ port: port(3), native: 100, tagged: [] }]);
    await expectCarried(session, port(3), { native: 100, tagged: [] });
    await apply(session, [{ port: port(3), ...nothing }]);
  });

  it('lets a port carry only what it carried or shall carry, at every moment of every change', async () => {
    const watch = trial.device.watch?.bind(trial.device);
    expect(watch === undefined).toBe(watchedByFrames.includes(type));
    if (watch === undefined) return;
    await expectNoStrangeMoment(watch, await open(), port(0), needsNative() ? 99 : null);
  });

  it('says no to a port that the device does not have, and does the others', async () => {
    const { unknownPort } = trial.device;
    if (unknownPort === null) return;
    const unknown = trial.driver.portName(unknownPort);
    if (typeof unknown !== 'string') throw new Error('unknownPort must be well-formed');
    const session = await open();
    const outcomes = await session.apply(
      [
        { port: unknown, native: 100, tagged: [] },
        { port: port(0), native: 100, tagged: [] },
      ],
      amply(),
    );
    expect(outcomes).toContainEqual({ port: unknown, applied: false, reason: expect.stringMatching(/\w/) as string });
    expect(outcomes).toContainEqual({ port: port(0), applied: true });
    const states = await session.read([unknown, port(0)], amply());
    expect(states).toEqual([{ port: port(0), native: 100, tagged: [] }]);
    await apply(session, [{ port: port(0), ...nothing }]);
  });

  it('says no to a VLAN that the device refuses, and does the others', async () => {
    const session = await open();
    const outcomes = await session.apply(
      [
        { port: port(0), native: trial.device.refusedVlan, tagged: [] },
        { port: port(1), native: 100, tagged: [] },
      ],
      amply(),
    );
    expect(outcomes).toContainEqual({ port: port(0), applied: false, reason: expect.stringMatching(/\w/) as string });
    expect(outcomes).toContainEqual({ port: port(1), applied: true });
    expect((await trial.device.carried(port(0))).native).not.toBe(trial.device.refusedVlan);
    await apply(
      session,
      [0, 1].map((index) => ({ port: port(index), ...nothing })),
    );
    await expectCarried(session, port(0), nothing);
  });

  it('a line that is cut in the middle is a fault, and the next session puts it right', async () => {
    const session = await open();
    const states = [0, 1, 2].map((index) => ({ port: port(index), native: 100, tagged: [101] }));
    trial.device.breakLine({ kind: 'cut', afterBytes: 150 });
    await expect(session.apply(states, amply())).rejects.toThrow();
    trial.device.breakLine(null);
    const next = await open();
    await apply(next, states);
    for (const { port: name } of states) await expectCarried(next, name, { native: 100, tagged: [101] });
    await apply(
      next,
      states.map(({ port: name }) => ({ port: name, ...nothing })),
    );
  });

  it('a device that hangs is let go when the signal says so', async () => {
    const session = await open();
    trial.device.breakLine({ kind: 'hang' });
    await expect(session.apply([{ port: port(0), native: 100, tagged: [] }], soon())).rejects.toThrow();
    await session.close();
    await expect(trial.driver.open({ label: 'sw', config: trial.device.fields }, soon())).rejects.toThrow();
    trial.device.breakLine(null);
    await apply(await open(), [{ port: port(0), ...nothing }]);
  });

  it('a device that lets nobody in is a fault', async () => {
    trial.device.breakLine({ kind: 'refuse' });
    await expect(trial.driver.open({ label: 'sw', config: trial.device.fields }, amply())).rejects.toThrow();
  });

  it('sets and reads 200 ports in one pass', async () => {
    const names = trial.device.ports.slice(0, 200).map((_, index) => port(index));
    const session = await open();
    const states = names.map((name, index) => ({
      port: name,
      native: 100 + (index % 50),
      tagged: [600 + (index % 7)],
    }));
    await apply(session, states);
    expect([...(await session.read(names, amply()))].sort(byPort)).toEqual([...states].sort(byPort));
    await apply(
      session,
      names.map((name) => ({ port: name, ...nothing })),
    );
    expect(
      (await session.read(names, amply())).every(({ native, tagged }) => native === null && tagged.length === 0),
    ).toBe(true);
  });

  it('shows every port of the device, if it can', async () => {
    const session = await open();
    if (!session.readAll) return;
    await apply(session, [{ port: port(1), native: 100, tagged: [101] }]);
    const all = await session.readAll(amply());
    expect(all).toContainEqual({ port: port(1), native: 100, tagged: [101] });
    await apply(session, [{ port: port(1), ...nothing }]);
  });

  it('shows what it would send, sends none of it, and sends that when it is to', async () => {
    const dry: string[] = [];
    const session = await open();
    await apply(session, [{ port: port(1), ...nothing }]);
    const rehearsal = await trial.driver.openDry?.(
      { label: 'sw', config: trial.device.fields },
      (m) => dry.push(m),
      amply(),
    );
    if (!rehearsal) throw new Error('a driver that comes with Corral can show what it would send');
    sessions.push(rehearsal);
    expect(dry).toEqual([]);
    const wanted = [{ port: port(1), native: 100, tagged: [101] }];
    const before = trial.device.received?.().length ?? 0;
    await apply(rehearsal, wanted);
    await rehearsal.save?.(amply());
    expect(dry.length).toBeGreaterThan(0);
    await expectCarried(session, port(1), nothing);
    const asked = trial.device.received?.().slice(before) ?? [];
    expect(asked.map(comparable).filter((message) => dry.map(comparable).includes(message))).toEqual([]);

    const begin = trial.device.received?.().length ?? 0;
    await apply(session, wanted);
    await session.save?.(amply());
    await expectCarried(session, port(1), { native: 100, tagged: [101] });
    const sent = trial.device.received?.().slice(begin).map(comparable);
    // Of a real switch nobody sees what it is sent.
    if (sent) expect(sent.filter((message) => dry.map(comparable).includes(message))).toEqual(dry.map(comparable));
    await apply(session, [{ port: port(1), ...nothing }]);
  });

  it('tells the addresses that it has learned, and where, if it can', async () => {
    const session = await open();
    const { device } = trial;
    expect(session.neighbours !== undefined).toBe(!tellNoAddresses.includes(type));
    // Real switches learn from frames: `neighbours.test.ts` sends them some.
    const learn = device.learn?.bind(device);
    expect(learn !== undefined).toBe(session.neighbours !== undefined && !learnFromFrames.includes(type));
    if (learn === undefined) return;
    const places = [
      { port: port(0), mac: '02:00:5e:00:53:01', vlan: 100 },
      { port: port(1), mac: '02:00:5e:00:53:0a', vlan: 100 },
      { port: port(1), mac: 'fe:dc:ba:98:76:54', vlan: 200 },
    ];
    learn(places);
    const seen = await session.neighbours?.(amply());
    if (seen === undefined || isRefusal(seen)) throw new Error(`it does not tell: ${seen?.refused}`);
    expect(seen.filter(({ mac }) => places.some((place) => place.mac === mac))).toEqual(places);
    // What else is in its table has names of no port that a node is plugged into.
    const others = seen.filter(({ mac }) => places.every((place) => place.mac !== mac));
    expect(others.filter((one) => device.ports.includes(one.port))).toEqual([]);
    learn([]);
    expect(await session.neighbours?.(amply())).toEqual(others);
    await apply(session, [{ port: port(1), ...nothing }]);
  });

  it('says of a login that may do everything that it lacks nothing, if it can', async () => {
    const session = await open();
    expect((await session.lacks?.(amply())) ?? []).toEqual([]);
    await apply(session, [{ port: port(1), native: 100, tagged: [] }]);
    await apply(session, [{ port: port(1), ...nothing }]);
  });

  it('saves its configuration, if it can', async () => {
    const session = await open();
    await session.save?.(amply());
  });
});

/** Messages without what is another each time: names of sessions, numbers of copies that run. */
const comparable = (message: string): string =>
  message.replaceAll(/corral-([0-9a-f]{8})-[0-9a-f]{8}/g, 'corral-$1').replaceAll(/<session-id>\d+/g, '<session-id>');

const byPort = (a: PortConfig, b: PortConfig): number => (a.port < b.port ? -1 : 1);
