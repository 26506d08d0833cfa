import { randomUUID } from 'node:crypto';
import { hasPart } from '@corral/lab';
import type { TObject } from '@sinclair/typebox';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PortConfig, SwitchDriver, SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { switchDrivers } from '../../src/drivers/switches/switch-drivers.ts';
import { devices } from '../support/switches/switch-devices.ts';
import { engines } from '../support/services/engines.ts';
import { type Recorded, shapeOf, startRecorded } from '../support/fuzz/recorded-devices.ts';
import { hostile, nearlyPorts } from '../support/fuzz/injection-strings.ts';
import { effort, seed } from '../support/vitest/seed.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { enc } from '../support/services/shared-service.ts';
import { done, obmd, settled } from '../support/services/world.ts';

/*
 * What devices are told consists of the lines that a driver makes of well-formed values, and of nothing else, whatever
 * is in labels and names of ports. First the honest lines are learned; then everything said must be of their shapes.
 */

const amply = (): AbortSignal => AbortSignal.timeout(60_000);
const drivers = switchDrivers({ simulatedSwitches: '/nowhere' });
/** The simulated switch takes every name, and tells it to nobody. */
const types = Object.keys(drivers).filter((type) => type !== 'mock');
const present = types.filter((type) => {
  const needs = devices[type]?.needs ?? null;
  return needs === null || hasPart(needs);
});

/** What a command line, a path or a document takes for itself; not in what a port can be called. */
const wellFormed = /^[A-Za-z0-9_][A-Za-z0-9 _.:@+/-]{0,254}$/;

const driverOf = (type: string): SwitchDriver => {
  const driver = drivers[type];
  if (!driver) throw new Error(`no driver ${type}`);
  return driver;
};

it('every driver has a device that shows what it received', () => {
  expect(types.filter((type) => devices[type] === undefined)).toEqual([]);
});

describe.each(present)('a switch of type %s', (type) => {
  let recorded: Recorded;
  let session: SwitchSession;
  const honest = new Set<string>();
  const learn = (): void =>
    recorded
      .told()
      .map(shapeOf)
      .forEach((shape) => honest.add(shape));
  const strange = (): readonly string[] => recorded.told().filter((line) => !honest.has(shapeOf(line)));
  const portNamed = (name: string): string => {
    const port = recorded.driver.portName(name);
    if (typeof port !== 'string') throw new Error(port.refused);
    return port;
  };
  const states = (ports: readonly string[]): readonly (readonly PortConfig[])[] => [
    ports.map((port) => ({ port, native: 100, tagged: [] })),
    ports.map((port) => ({ port, native: 100, tagged: [200, 300] })),
    ports.map((port) => ({ port, native: 200, tagged: [100] })),
    ports.map((port) => ({ port, native: 100, tagged: [] })),
    ports.map((port) => ({ port, native: null, tagged: [] })),
  ];

  beforeAll(async () => {
    recorded = await startRecorded(type);
    const permit = { number: 1, installation: randomUUID(), check: () => undefined };
    session = await recorded.driver.open({ label: 'sw', config: recorded.fields, permit }, amply());
    const ports = recorded.device.ports.slice(0, 2).map(portNamed);
    const unknown = recorded.device.unknownPort;
    for (const state of states(ports)) await session.apply(state, amply());
    for (const state of states(ports.slice(0, 1))) await session.apply(state, amply());
    await session.read([...ports, ...(unknown === null ? [] : [portNamed(unknown)])], amply());
    await session.readAll?.(amply());
    await session.identity?.(amply());
    await session.save?.(amply());
    learn();
  });
  afterAll(async () => {
    await session.close();
    await recorded.stop();
  });

  it('takes no port name but those of its grammar, and writes each in one way', async () => {
    const accepted = new Set<string>();
    const tried = fc.property(nearlyPorts(recorded.device.ports.slice(0, 8)), (name) => {
      const port = recorded.driver.portName(name);
      if (typeof port === 'string') {
        expect(port).toMatch(wellFormed);
        expect(recorded.driver.portName(port)).toBe(port);
        accepted.add(port);
      } else expect(port.refused).toMatch(/\w+ \w+/);
    });
    fc.assert(tried, { seed, numRuns: 2000 * effort });
    for (const port of [...accepted].slice(0, 20)) {
      // That the device does not have it is no error; that it was told something else would be.
      await session.read([port], amply()).catch(() => undefined);
    }
    expect(strange()).toEqual([]);
  });

  it('refuses ports whose names would be more than a name', () => {
    const [good = ''] = recorded.device.ports;
    for (const { what, text } of hostile) {
      for (const name of [text, `${good}${text}`, `${text}${good}`]) {
        const port = recorded.driver.portName(name);
        if (typeof port === 'string') expect(port, what).toMatch(wellFormed);
        const isPlain = /^[\u0020-\u007e]*$/.test(name);
        if (!isPlain) expect(port, what).toMatchObject({ refused: expect.any(String) as string });
      }
    }
  });

  it('sees nothing of the labels that others chose', async () => {
    const [engine = 'sqlite'] = engines;
    const service = await serviceForTest(engine, {
      CORRAL_ENGINE_DEVICE_TIMEOUT: '20',
      CORRAL_ENGINE_BUDGET: '60',
      CORRAL_ENGINE_LEASE: '30',
    });
    await useWithEvilLabels(service, type, recorded);
    const said = recorded.told();
    // The session of the service is another one, and logs in.
    expect(said.filter((line) => /evil|reload|reboot/.test(line))).toEqual([]);
    expect(said.filter((line) => !honest.has(shapeOf(line)) && !/^(?:enable|corral|lab password)$/.test(line))).toEqual(
      [],
    );
  });
});

/** Everything that a switch can be used for, under labels that would do harm on a command line. */
const useWithEvilLabels = async ({ admin, ...service }: Service, type: string, recorded: Recorded): Promise<void> => {
  const evil = (what: string): string =>
    `${what} evil"; reload $(reboot) \`reboot\` | reload --evil <evil/>`.replace('/', '');
  const [onSwitch, node, nic, network, other, project] = ['sw', 'node', 'nic', 'net', 'net2', 'project'].map(evil) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  await done(admin.put(`/switch/${enc(onSwitch)}`, { type, ...recorded.fields }));
  await done(admin.put(`/project/${enc(project)}`));
  await done(admin.put(`/node/${enc(node)}`, { obmd, metadata: { [evil('key')]: evil('value') } }));
  await done(admin.put(`/node/${enc(node)}/nic/${enc(nic)}`, { macaddr: evil('mac') }));
  for (const { text, what } of hostile) {
    const name = `${recorded.device.ports[0] ?? ''}${text}`;
    const isName = typeof recorded.driver.portName(name) === 'string';
    expect((await admin.put(`/switch/${enc(onSwitch)}/port/${enc(name)}`)).status, what).toBe(isName ? 200 : 400);
  }
  const port = `/switch/${enc(onSwitch)}/port/${enc(recorded.device.ports[0] ?? '')}`;
  await done(admin.put(port));
  await done(admin.post(`${port}/connect_nic`, { node, nic }));
  await done(admin.post(`/switch/${enc(onSwitch)}/sweep`));
  await done(admin.post(`/project/${enc(project)}/connect_node`, { node }));
  const at = `/node/${enc(node)}/nic/${enc(nic)}`;
  for (const [label, channel] of [
    [network, 'vlan/native'],
    [other, 'vlan/'],
  ] as const) {
    await done(admin.put(`/network/${enc(label)}`, { owner: project, access: project, net_id: '' }));
    const { body } = await admin.get(`/network/${enc(label)}`);
    const tagged = (body as { channels: string[] }).channels[1] ?? '';
    const queued = await admin.post(`${at}/connect_network`, {
      network: label,
      channel: channel === 'vlan/' ? tagged : channel,
    });
    expect(await settled({ admin, ...service }, queued)).toMatchObject({ status: 'DONE' });
  }
  for (const label of [other, network]) {
    const queued = await admin.post(`${at}/detach_network`, { network: label });
    expect(await settled({ admin, ...service }, queued)).toMatchObject({ status: 'DONE' });
  }
  await settled({ admin, ...service }, await admin.post(`${port}/revert`));
};

describe.each(['arista-eos', 'cisco-ios', 'cisco-nxos', 'nexus', 'dell-os10', 'delln3000', 'powerconnect55xx'])(
  'the command line of %s',
  (type) => {
    it('is sent nothing that has a control character in it, even by a driver that tries to', async () => {
      const recorded = await startRecorded(type);
      const session = await recorded.driver.open({ label: 'sw', config: recorded.fields }, amply());
      recorded.told();
      const port = `${recorded.device.ports[0] ?? ''}\nreload`;
      await expect(session.apply([{ port, native: 100, tagged: [] }], amply())).rejects.toThrow('control characters');
      expect(recorded.told()).toEqual([]);
      await session.close();
      await recorded.stop();
    });
  },
);

describe('fields of switch_register', () => {
  const secrets = ['password', 'enable_password'];
  it.each(types.filter((type) => type !== 'ovs'))('that are typed at a prompt are one line for a %s', async (type) => {
    const [engine = 'sqlite'] = engines;
    const { admin } = await serviceForTest(engine);
    const properties = Object.keys((driverOf(type).config as TObject).properties);
    const good: Record<string, unknown> = {
      ...{ type, hostname: '127.0.0.1', username: 'u', password: 'p' },
      ...(properties.includes('dummy_vlan') ? { dummy_vlan: '4000' } : {}),
      ...(properties.includes('interface_type') ? { interface_type: 'TenGigabitEthernet' } : {}),
    };
    await done(admin.put('/switch/good', good));
    const typed = ['hostname', 'username', 'dummy_vlan', 'interface_type'];
    const isHttp = properties.includes('ca');
    const fields = properties.filter((field) => typed.includes(field) || (secrets.includes(field) && !isHttp));
    for (const field of fields) {
      for (const { text, what } of hostile.filter(({ isRefused }) => isRefused === 'always')) {
        if (secrets.includes(field) && !/[\p{Cc}\u2028\u2029]/u.test(text)) continue;
        const answer = await admin.put('/switch/bad', { ...good, [field]: text });
        expect(answer, `${what} in ${field}`).toMatchObject({ status: 400, body: { type: 'ValidationError' } });
        expect(answer.text).toContain(field);
      }
    }
  });
});
