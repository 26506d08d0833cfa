import { type LabJunos, type LabJunosOptions, startJunosSwitch } from '@corral/lab';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PortConfig, SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { junosSwitch } from '../../src/drivers/switches/netconf/junos.ts';
import { viewOf } from '../../src/drivers/switches/netconf/junos-config.ts';
import { parseXml } from '../../src/drivers/switches/device-xml.ts';
import { checkOf, inBody } from '@corral/base/schema/schema-check';
import { unclearReading } from '../support/switches/port-readings.ts';

const amply = () => AbortSignal.timeout(20_000);
const nothing = { native: null, tagged: [] };
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const start = async (options: LabJunosOptions = {}): Promise<LabJunos> => {
  const device = await startJunosSwitch(options);
  stops.push(() => device.stop());
  return device;
};
const open = async (device: LabJunos, fields: Readonly<Record<string, unknown>> = {}): Promise<SwitchSession> => {
  const session = await junosSwitch.open({ label: 'sw', config: { ...device.fields, ...fields } }, amply());
  stops.push(() => session.close());
  return session;
};
const apply = async (session: SwitchSession, ...states: readonly PortConfig[]): Promise<void> => {
  const outcomes = await session.apply(states, amply());
  expect(outcomes).toEqual(states.map(({ port }) => ({ port, applied: true })));
};
/** What was asked for, without the three questions about hierarchies that the device does not have. */
const operationsOf = (device: LabJunos): readonly string[] => {
  let unknown = 3;
  return device.operations.filter((name) => name !== 'get-configuration' || unknown-- <= 0);
};
/** The statements of one interface, on one line. */
const statementsOf = (device: LabJunos, port: string): string => {
  const [, rest = ''] = device.configuration().replaceAll('\n', '').split(`<interface><name>${port}</name>`);
  return rest.split('</interface>')[0] ?? '';
};

describe('getting in', () => {
  it('takes a private key instead of a password', async () => {
    const device = await start();
    const { hostname, port, username } = device.fields;
    const config = { hostname, port, username, private_key: device.privateKey, host_key: device.hostKey };
    const session = await junosSwitch.open({ label: 'sw', config }, amply());
    stops.push(() => session.close());
    expect(await session.read(['ge-1/0/0'], amply())).toEqual([{ port: 'ge-1/0/0', ...nothing }]);
  });

  it('refuses a wrong password without repeating it', async () => {
    const device = await start();
    const attempt = open(device, { password: 'my-wrong-one' });
    await expect(attempt).rejects.toThrow(/rejects the login of user corral/);
    await expect(attempt).rejects.not.toThrow(/my-wrong-one/);
  });

  it('holds the device to the host key that is registered', async () => {
    const device = await start();
    await open(device, { host_key: device.fingerprint });
    await expect(open(device, { host_key: `SHA256:${'A'.repeat(43)}` })).rejects.toThrow(device.fingerprint);
  });

  it('uses old algorithms only when it is configured to', async () => {
    const device = await start({ isOld: true });
    await expect(open(device)).rejects.toThrow(/legacy_algorithms/);
    const session = await open(device, { legacy_algorithms: true });
    expect(await session.read(['ge-0/0/0'], amply())).toHaveLength(1);
  });

  it.each<[string, (message: string) => string, RegExp]>([
    ['is no XML', (message) => message.replace('</rpc-reply>', ''), /not XML/],
    ['answers another call', (message) => message.replace(/message-id="\d+"/, 'message-id="99"'), /was not requested/],
    ['defines entities', (message) => `<!DOCTYPE a [<!ENTITY b "c">]>${message}`, /document type/],
    [
      'is not the configuration',
      (message) => message.replace('<configuration>', '<x/><configuration>').replaceAll('configuration>', 'data>'),
      /instead of its configuration/,
    ],
  ])('ends with a device whose answer %s', async (_, garble, reason) => {
    const device = await start({ garble: (message) => (message.includes('rpc-reply') ? garble(message) : message) });
    const session = await open(device);
    await expect(session.read(['ge-0/0/0'], amply())).rejects.toThrow(reason);
  });

  it('ends with a device that does not greet', async () => {
    const device = await start({ garble: (message) => message.replaceAll('hello', 'login') });
    await expect(open(device)).rejects.toThrow('expected a NETCONF hello, received <login>');
  });

  it('refuses a device that cannot confirm commits', async () => {
    const device = await start({ capabilities: ['urn:ietf:params:netconf:capability:candidate:1.0'] });
    await expect(open(device)).rejects.toThrow('does not offer confirmed-commit, validate');
  });

  it('wants a password or a private key', () => {
    const check = checkOf(junosSwitch.config, inBody);
    const who = { hostname: 'sw', username: 'corral' };
    expect(check(who)).not.toEqual([]);
    expect(check({ ...who, password: 'p' })).toEqual([]);
    expect(check({ ...who, private_key: 'k', confirm_timeout: 60, legacy_algorithms: true })).toEqual([]);
    expect(check({ ...who, password: 'p', confirm_timeout: 0 })).not.toEqual([]);
    expect(check({ ...who, password: 'p', host_key: 'anything' })).not.toEqual([]);
  });
});

describe('port names', () => {
  it.each([
    ['ge-0/0/1', 'ge-0/0/1'],
    ['GE-0/0/1.0', 'ge-0/0/1'],
    ['xe-0/1/3', 'xe-0/1/3'],
    ['et-0/0/48:3', 'et-0/0/48:3'],
    ['mge-12/0/40', 'mge-12/0/40'],
    ['ae0', 'ae0'],
  ])('%s is %s', (name, normal) => {
    expect(junosSwitch.portName(name)).toBe(normal);
  });

  it.each([
    'ge-0/0',
    'ge-0/0/01',
    'ge-00/0/1',
    'ae',
    'ae01',
    'irb',
    'vme',
    'ge-0/0/1.5',
    'ge-0/0/1 ',
    '<all>',
    'all',
    '',
  ])('%j is none', (name) => {
    expect(junosSwitch.portName(name)).toHaveProperty('refused');
  });
});

describe('a pass', () => {
  it('works the same when messages come in chunks', async () => {
    const device = await start({ framing: 'chunked' });
    const session = await open(device);
    const states = device.ports.slice(0, 100).map((port) => ({ port, native: 100, tagged: [101, 200] }));
    await apply(session, ...states);
    expect(await session.read(device.ports.slice(0, 100), amply())).toEqual(states);
  });

  it('is one confirmed commit under a lock, checked before and read after', async () => {
    const device = await start();
    const session = await open(device);
    await apply(
      session,
      { port: 'ge-0/0/1', native: 100, tagged: [] },
      { port: 'ge-0/0/2', native: null, tagged: [101] },
    );
    expect(operationsOf(device)).toEqual([
      'lock',
      'discard-changes',
      'get-configuration',
      'get-configuration',
      'edit-config',
      'validate',
      'get-configuration',
      'commit confirmed',
      'get-configuration',
      'commit',
      'unlock',
    ]);
  });

  it('that changes nothing still confirms what a dead process may have left', async () => {
    const device = await start();
    const session = await open(device);
    await apply(session, { port: 'ge-0/0/1', native: 100, tagged: [] });
    const before = device.operations.length;
    await apply(session, { port: 'ge-0/0/1', native: 100, tagged: [] });
    expect(device.operations.slice(before)).toEqual([
      'lock',
      'discard-changes',
      'get-configuration',
      'get-configuration',
      'commit',
      'unlock',
    ]);
  });

  it('uses the VLANs that the device has by their names, and defines the others', async () => {
    const device = await start();
    await apply(await open(device), { port: 'ge-1/0/1', native: 100, tagged: [200, 3005] });
    const statements = statementsOf(device, 'ge-1/0/1');
    expect(statements).toContain('<native-vlan-id>100</native-vlan-id>');
    expect(statements).toContain('<members>corral-100</members><members>servers</members><members>3005</members>');
    expect(device.configuration().replaceAll('\n', '')).toContain('<name>corral-100</name><vlan-id>100</vlan-id>');
    expect(device.configuration()).not.toMatch(/corral-(?:200|3005)/);
  });

  it('never redefines a VLAN that has the name it would give', async () => {
    const device = await start();
    device.configure('<vlans><vlan><name>corral-300</name><vlan-id>7</vlan-id></vlan></vlans>');
    const outcomes = await (
      await open(device)
    ).apply(
      [
        { port: 'ge-0/0/1', native: 300, tagged: [] },
        { port: 'ge-0/0/2', native: 7, tagged: [] },
      ],
      amply(),
    );
    expect(outcomes).toEqual([
      { port: 'ge-0/0/1', applied: false, reason: expect.stringContaining('corral-300') as string },
      { port: 'ge-0/0/2', applied: true },
    ]);
  });

  it('leaves alone what has nothing to do with VLANs', async () => {
    const device = await start();
    device.configure(
      '<interfaces><interface><name>ge-0/0/1</name><description>rack 7</description><mtu>9216</mtu></interface></interfaces>',
    );
    const session = await open(device);
    await apply(session, { port: 'ge-0/0/1', native: 100, tagged: [101] });
    await apply(session, { port: 'ge-0/0/1', ...nothing });
    const statements = statementsOf(device, 'ge-0/0/1');
    for (const kept of ['rack 7', '9216', 'storm-control', '<disable/>']) expect(statements).toContain(kept);
    for (const gone of ['interface-mode', 'members', 'native-vlan-id']) expect(statements).not.toContain(gone);
  });

  it('takes a routed port, and one that VLANs list themselves, and leaves nothing of it', async () => {
    const device = await start();
    device.configure(`<interfaces><interface><name>ge-2/0/0</name><vlan-tagging/><unit><name>0</name><vlan-id>30</vlan-id>
      <family><inet><address><name>192.0.2.9/24</name></address></inet></family></unit>
      <unit><name>31</name><vlan-id>31</vlan-id></unit></interface></interfaces>
      <vlans><vlan><name>servers</name><interface><name>ge-0/0/5.0</name></interface></vlan></vlans>`);
    const session = await open(device);
    expect(await session.read(['ge-2/0/0', 'ge-0/0/5'], amply())).toEqual([
      unclearReading('ge-2/0/0', 'vlan-tagging; unit 31 vlan-id 31; unit 0 vlan-id 30; unit 0 family inet'),
      { port: 'ge-0/0/5', native: 200, tagged: [] },
    ]);
    await apply(session, { port: 'ge-2/0/0', native: 100, tagged: [] }, { port: 'ge-0/0/5', native: 100, tagged: [] });
    expect(await device.carried('ge-2/0/0')).toEqual({ native: 100, tagged: [] });
    expect(await device.carried('ge-0/0/5')).toEqual({ native: 100, tagged: [] });
    expect(device.configuration()).not.toMatch(/vlan-tagging|192\.0\.2\.9|ge-0\/0\/5\.0/);
  });

  it('activates what was deactivated', async () => {
    const device = await start();
    device.configure(`<interfaces><interface inactive="inactive"><name>ge-0/0/6</name></interface></interfaces>`);
    const session = await open(device);
    expect(await session.read(['ge-0/0/6'], amply())).toEqual([{ port: 'ge-0/0/6', ...nothing }]);
    await apply(session, { port: 'ge-0/0/6', native: 100, tagged: [] });
    expect(await device.carried('ge-0/0/6')).toEqual({ native: 100, tagged: [] });
  });
});

describe('what a port passes', () => {
  const withMembers = (members: readonly string[], mode = 'trunk', native = '') =>
    `<interfaces><interface><name>ge-3/0/0</name>${native}<unit><name>0</name><family><ethernet-switching>
    <interface-mode>${mode}</interface-mode><vlan>${members.map((member) => `<members>${member}</members>`).join('')}</vlan>
    </ethernet-switching></family></unit></interface></interfaces>`;
  const everything = Array.from({ length: 4094 }, (_, index) => index + 1);

  it.each<[string, string, Omit<PortConfig, 'port'>]>([
    ['a name', withMembers(['servers'], 'access'), { native: 200, tagged: [] }],
    ['an id', withMembers(['200'], 'access'), { native: 200, tagged: [] }],
    [
      'a VLAN of many ids, and a range',
      withMembers(['phones', '200', '3008-3010']),
      { native: null, tagged: [200, ...everything.slice(2999, 3010)] },
    ],
    ['all', withMembers(['all']), { native: null, tagged: everything }],
    [
      'all, one of them untagged',
      withMembers(['all'], 'trunk', '<native-vlan-id>200</native-vlan-id>'),
      { native: 200, tagged: everything.filter((id) => id !== 200) },
    ],
    ['no member', withMembers([], 'access'), { native: 1, tagged: [] }],
    [
      'an inactive native VLAN',
      withMembers(['200', '1'], 'trunk', '<native-vlan-id inactive="inactive">1</native-vlan-id>'),
      { native: null, tagged: [1, 200] },
    ],
  ])('is read from %s', async (_, configuration, passed) => {
    const device = await start();
    device.configure(configuration);
    expect(await (await open(device)).read(['ge-3/0/0'], amply())).toEqual([{ port: 'ge-3/0/0', ...passed }]);
  });

  it.each([
    ['a mode', withMembers(['200'], 'tunnel'), 'interface-mode tunnel'],
    ['a VLAN', withMembers(['200', 'nobody-knows']), 'members nobody-knows'],
    [
      'an untagged VLAN',
      withMembers(['200'], 'trunk', '<native-vlan-id>nobody-knows</native-vlan-id>'),
      'native-vlan-id nobody-knows',
    ],
  ])('is everything with %s that says nothing to us', (_, configuration, words) => {
    const view = viewOf(parseXml(`<configuration>${configuration}</configuration>`));
    expect(view.stateOf('ge-3/0/0')).toEqual(unclearReading('ge-3/0/0', words));
  });

  it('is read out of the box: the default VLAN where there is Ethernet switching, nothing elsewhere', async () => {
    const session = await open(await start());
    const all = await session.readAll?.(amply());
    expect(all).toContainEqual({ port: 'ge-0/0/0', native: 1, tagged: [] });
    expect(all).toContainEqual({ port: 'ge-4/0/0', ...nothing });
    expect(all).toContainEqual({ port: 'xe-0/2/1', ...nothing });
    expect(all?.map(({ port }) => port)).not.toContain('irb');
  });

  it('may come from an interface range, which a port cannot overrule', async () => {
    const device = await start();
    device.configure(`<interfaces><interface-range><name>uplinks</name><member><name>ge-3/0/1</name></member>
      <unit><name>0</name><family><ethernet-switching><interface-mode>trunk</interface-mode><vlan><members>servers</members></vlan>
      </ethernet-switching></family></unit></interface-range></interfaces>`);
    const session = await open(device);
    expect(await session.read(['ge-3/0/1'], amply())).toEqual([{ port: 'ge-3/0/1', native: null, tagged: [200] }]);
    const outcomes = await session.apply(
      [
        { port: 'ge-3/0/1', native: null, tagged: [100] },
        { port: 'ge-3/0/2', native: null, tagged: [100] },
      ],
      amply(),
    );
    expect(outcomes).toEqual([
      { port: 'ge-3/0/1', applied: false, reason: expect.stringContaining('interface range') as string },
      { port: 'ge-3/0/2', applied: true },
    ]);
    expect(await device.carried('ge-3/0/1')).toEqual({ native: null, tagged: [200] });
    await apply(session, { port: 'ge-3/0/1', ...nothing });
    expect(await device.carried('ge-3/0/1')).toEqual(nothing);
  });
});

describe('refusals', () => {
  it('of a commit are assigned to the port that they name, and the others are done', async () => {
    const device = await start();
    const outcomes = await (
      await open(device)
    ).apply(
      ['ge-4/0/4', 'ge-4/0/47', 'ge-4/0/46'].map((port) => ({ port, native: 100, tagged: [] })),
      amply(),
    );
    expect(outcomes).toEqual([
      { port: 'ge-4/0/4', applied: true },
      {
        port: 'ge-4/0/47',
        applied: false,
        reason: expect.stringContaining('not allowed on aggregated links') as string,
      },
      { port: 'ge-4/0/46', applied: true },
    ]);
    expect(await device.carried('ge-4/0/46')).toEqual({ native: 100, tagged: [] });
  });

  it('that name nobody are traced to their ports', async () => {
    const device = await start({ unspeakableVlan: 666 });
    const ports = device.ports.slice(0, 20);
    const bad = [ports[3], ports[11], ports[19]];
    const states = ports.map((port) => ({ port, native: bad.includes(port) ? 666 : 100, tagged: [] }));
    const outcomes = await (await open(device)).apply(states, amply());
    expect(outcomes.filter(({ applied }) => !applied)).toEqual(
      bad.map((port) => ({ port, applied: false, reason: expect.stringContaining('check-out failed') as string })),
    );
    for (const port of ports) {
      expect((await device.carried(port)).native).toBe(bad.includes(port) ? 1 : 100);
    }
  });
});

describe('a configuration that fails its own check', () => {
  it('is a fault, and no port is blamed for it', async () => {
    const device = await start({ unspeakableVlan: 200 });
    const states = device.ports.slice(0, 20).map((port) => ({ port, native: 100, tagged: [] }));
    const session = await open(device);
    await expect(session.apply(states, amply())).rejects.toThrow(/refuses validate: configuration check-out failed/);
    expect(device.operations.slice(-2)).toEqual(['validate', 'unlock']);
  });
});

describe('a configuration in other hands', () => {
  it('is a fault while somebody has it locked, and passes', async () => {
    const device = await start();
    const session = await open(device);
    device.setExclusive(true);
    await expect(session.apply([{ port: 'ge-0/0/1', native: 100, tagged: [] }], amply())).rejects.toThrow(
      /locked by another session: configuration database locked by: alice terminal p0/,
    );
    expect(await session.read(['ge-0/0/1'], amply())).toHaveLength(1);
    device.setExclusive(false);
    await apply(session, { port: 'ge-0/0/1', native: 100, tagged: [] });
  });

  it('is never committed, nor thrown away, when somebody left changes in it', async () => {
    const device = await start();
    const change =
      '<interfaces><interface><name>ge-0/0/9</name><description>half done</description></interface></interfaces>';
    device.leaveUncommitted(change);
    const session = await open(device);
    const attempt = () => session.apply([{ port: 'ge-0/0/1', native: 100, tagged: [] }], amply());
    await expect(attempt()).rejects.toThrow(/uncommitted changes: configuration database modified/);
    await session.close();
    expect(operationsOf(device)).toEqual(['lock']);
    await expect((await open(device)).apply([], amply())).rejects.toThrow(/modified/);
  });
});

describe('a process that dies', () => {
  const wanted = { port: 'ge-0/0/1', native: 100, tagged: [101] };
  const before = { native: 1, tagged: [] };

  const dieAfter = async (device: LabJunos, operation: string): Promise<void> => {
    const session = await open(device, { confirm_timeout: 1 });
    device.onOperation = (name) => {
      if (name === operation) device.breakLine({ kind: 'cut', afterBytes: 0 });
    };
    await expect(session.apply([wanted], amply())).rejects.toThrow();
    device.onOperation = () => undefined;
    device.breakLine(null);
  };

  it('before it confirmed is undone by the device itself', async () => {
    const device = await start();
    await dieAfter(device, 'commit confirmed');
    expect(device.operations.at(-1)).toBe('commit confirmed');
    expect(await device.carried('ge-0/0/1')).toEqual({ native: 100, tagged: [101] });
    await vi.waitFor(async () => expect(await device.carried('ge-0/0/1')).toEqual(before), { timeout: 5000 });
  });

  it('before it confirmed can be succeeded by another in time', async () => {
    const device = await start();
    await dieAfter(device, 'commit confirmed');
    await apply(await open(device), wanted);
    const later = Date.now() + 1500;
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(later), { timeout: 5000 });
    expect(await device.carried('ge-0/0/1')).toEqual({ native: 100, tagged: [101] });
  });

  it('earlier has changed nothing, and holds no lock', async () => {
    const device = await start();
    for (const operation of ['lock', 'edit-config', 'validate']) {
      await dieAfter(device, operation);
      expect(await device.carried('ge-0/0/1')).toEqual(before);
    }
    await apply(await open(device), wanted);
  });

  it('is of no use any more: a call that was given up ends the session', async () => {
    const device = await start();
    const session = await open(device);
    device.breakLine({ kind: 'hang' });
    await expect(session.read(['ge-0/0/1'], AbortSignal.timeout(50))).rejects.toThrow(/gave up get-configuration/);
    device.breakLine(null);
    await expect(session.read(['ge-0/0/1'], amply())).rejects.toThrow();
    await session.close();
  });
});
