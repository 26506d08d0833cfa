import { type LabDellOs9, startDellOs9 } from '@corral/lab';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isRefusal, type SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { dellnos9 } from '../../src/drivers/switches/http/dellnos9.ts';
import { passedBy, dellConfigFrom } from '../../src/drivers/switches/http/dellnos9-config.ts';
import { amply, expectOddPortSetRight, foreignVlans, openTo, setAndWatch } from '../support/switches/http-switches.ts';
import {
  expectFreed,
  expectUnclearPort,
  isNarrower,
  readingOr,
  unclearReading,
} from '../support/switches/port-readings.ts';
import { effort, seed } from '../support/vitest/seed.ts';

const config = (...lines: readonly string[]) =>
  dellConfigFrom(
    ['show running-config', 'Current Configuration ...', ...lines, 'S3048#'].join('\r\n'),
    'GigabitEthernet',
  );
const port = (name: string, ...lines: readonly string[]) => [
  `interface GigabitEthernet ${name}`,
  ...lines.map((line) => ` ${line}`),
  '!',
];
const layer2 = ['portmode hybrid', 'switchport', 'no shutdown'];
const carried = (shown: ReturnType<typeof config>, name: string) => {
  const found = shown.ports.get(name);
  return found && passedBy(found, shown.defaultVlan);
};

describe('a running configuration of OS9', () => {
  it('tells memberships, in all the ways that ports are listed', () => {
    const shown = config(
      ...['1/1', '1/2', '1/3', '1/7', '2/1'].flatMap((name) => port(name, ...layer2)),
      'interface Vlan 100',
      ' untagged GigabitEthernet 1/1,1/3',
      'interface Vlan 200',
      ' tagged GigabitEthernet 1/1-1/3,1/7',
      ' tagged TenGigabitEthernet 1/1-1/4',
      ' tagged Port-channel 1-2',
      'interface Vlan 150',
      ' tagged GigabitEthernet 1/1-3,7,2/1',
    );
    expect(carried(shown, '1/1')).toEqual({ port: '1/1', native: 100, tagged: [150, 200] });
    expect(carried(shown, '1/2')).toEqual({ port: '1/2', native: 1, tagged: [150, 200] });
    expect(carried(shown, '1/7')).toEqual({ port: '1/7', native: 1, tagged: [150, 200] });
    expect(carried(shown, '2/1')).toEqual({ port: '2/1', native: 1, tagged: [150] });
    expect(carried(shown, '1/4')).toBeUndefined();
  });

  it('tells lists of ports that go on in the next line', () => {
    const shown = config(
      ...['1/1', '1/2', '1/3'].flatMap((name) => port(name, ...layer2)),
      'interface Vlan 100',
      ' tagged GigabitEthernet 1/1,',
      '  1/2',
      '  1/3',
      ' no shutdown',
    );
    expect(['1/1', '1/2', '1/3'].map((name) => carried(shown, name)?.tagged)).toEqual([[100], [100], [100]]);
  });

  it('tells which VLAN a port is in by default', () => {
    const ports = port('1/1', 'switchport', 'no shutdown');
    expect(carried(config(...ports, 'interface Vlan 1', '!untagged GigabitEthernet 1/1'), '1/1')?.native).toBe(1);
    expect(carried(config('default vlan-id 4000', ...ports), '1/1')?.native).toBe(4000);
    expect(carried(config('default-vlan disable', ...ports), '1/1')?.native).toBeNull();
    const tagged = config(...ports, 'interface Vlan 5', ' tagged GigabitEthernet 1/1');
    expect(carried(tagged, '1/1')).toEqual({ port: '1/1', native: null, tagged: [5] });
  });

  it('tells that ports which are shut, or not in layer 2 mode, pass nothing', () => {
    const shown = config(...port('1/1', 'switchport', 'shutdown'), ...port('1/2', 'no ip address', 'no shutdown'));
    expect(carried(shown, '1/1')).toEqual({ port: '1/1', native: null, tagged: [] });
    expect(carried(shown, '1/2')).toEqual({ port: '1/2', native: null, tagged: [] });
  });

  it.each(['vlan-stack access', 'vlan-stack trunk', 'switchport mode private-vlan host'])(
    'tells no less than everything of a port with "%s"',
    (line) => {
      const shown = config(...port('1/1', 'switchport', line, 'no shutdown'), ...port('1/2', ...layer2));
      expect(carried(shown, '1/1')).toEqual(unclearReading('1/1', line));
      expect(carried(shown, '1/2')).toEqual({ port: '1/2', native: 1, tagged: [] });
    },
  );

  it.each<[string, readonly string[], string]>([
    [
      'a bundle',
      port('1/1', 'no ip address', '!', 'port-channel-protocol LACP', ' port-channel 2 mode active', 'no shutdown'),
      'port-channel-protocol LACP',
    ],
    [
      'a bundle that lists it',
      [
        ...port('1/1', 'no ip address', 'no shutdown'),
        'interface Port-channel 2',
        ' channel-member GigabitEthernet 1/1-1/3',
        '!',
      ],
      'interface Port-channel 2 channel-member GigabitEthernet 1/1-1/3',
    ],
    [
      'copies of frames',
      [
        ...port('1/1', 'no ip address', 'no shutdown'),
        'monitor session 1',
        ' source GigabitEthernet 1/7 destination GigabitEthernet 1/1 direction both',
        '!',
      ],
      'destination GigabitEthernet 1/1',
    ],
    [
      'two untagged VLANs',
      [
        ...port('1/1', ...layer2),
        ...['interface Vlan 5', ' untagged GigabitEthernet 1/1', '!'],
        ...['interface Vlan 6', ' untagged GigabitEthernet 1/1-1/2', '!'],
      ],
      'untagged in VLANs 5 and 6',
    ],
    [
      'a private VLAN',
      [...port('1/1', ...layer2), 'interface Vlan 5', ' private-vlan mode primary', ' tagged GigabitEthernet 1/1', '!'],
      'interface Vlan 5 private-vlan mode primary',
    ],
    [
      'a VLAN of stacked tags',
      [...port('1/1', ...layer2), 'interface Vlan 5', ' vlan-stack compatible', ' member GigabitEthernet 1/1', '!'],
      'interface Vlan 5 member GigabitEthernet 1/1',
    ],
    ['802.1X', port('1/1', ...layer2, 'dot1x authentication', 'dot1x guest-vlan 200'), 'dot1x guest-vlan 200'],
    ['VLANs that others register', port('1/1', ...layer2, 'gvrp enable'), 'gvrp enable'],
    ['voice by LLDP', port('1/1', ...layer2, 'protocol lldp', ' advertise med voice 200 6 46'), 'advertise med voice'],
    ['an address', port('1/1', 'ip address 192.0.2.1/24', 'no shutdown'), 'ip address 192.0.2.1/24'],
    ['an overlay', port('1/1', ...layer2, 'vxlan-instance 1'), 'vxlan-instance 1'],
    [
      'a member that is not in layer 2 mode',
      [...port('1/1', 'no shutdown'), 'interface Vlan 5', ' tagged GigabitEthernet 1/1'],
      'without switchport',
    ],
    ['a section that ends too soon', port('1/1', 'portmode hybrid', 'switchport'), 'neither shutdown nor no shutdown'],
    [
      'only a block inside it that is shut',
      port('1/1', 'switchport', 'openflow', ' shutdown', 'no shutdown'),
      'openflow',
    ],
  ])('tells no less than everything of a port with %s', (_, lines, words) => {
    expect(carried(config(...lines), '1/1')).toEqual(unclearReading('1/1', words));
  });

  it('tells what a port says that has nothing else to do with VLANs', () => {
    const shown = config(
      ...port(
        '1/1',
        'description vlan 7',
        'mtu 9216',
        ...layer2,
        'spanning-tree rstp edge-port',
        'protocol lldp',
        ' disable',
      ),
      ...['interface Vlan 5', ' ip address 192.0.2.1/24', ' tagged GigabitEthernet 1/1', ' no shutdown', '!'],
      ...['monitor session 1', ' source GigabitEthernet 1/1 destination GigabitEthernet 1/9 direction both', '!'],
      ...['uplink-state-group 1', ' downstream GigabitEthernet 1/1-1/4', '!'],
    );
    expect(carried(shown, '1/1')).toEqual({ port: '1/1', native: 1, tagged: [5] });
  });

  it.each([
    '%STKUNIT1-M:CP %IFMGR-5-OSTATE_UP: Changed interface state to up: Gi 1/7',
    'Nov 16 02:11:07: %STKUNIT1-M:CP %SYS-5-CONFIG_I: Configured from vty0',
    'hello',
  ])('is not cut short by "%s"', (line) => {
    const lines = port('1/1', 'switchport', '', 'no shutdown').map((each) => (each === ' ' ? line : each));
    expect(() => config(...lines)).toThrow(/in the middle of its running configuration/);
  });

  it('is not taken for whole when it ends too soon', () => {
    const text = ['Current Configuration ...', ...port('1/1', 'switchport')].join('\r\n');
    expect(() => dellConfigFrom(text, 'GigabitEthernet')).toThrow('ends with');
  });

  it('never gets narrower by a line that nobody knows, wherever it stands', () => {
    const lines = [
      ...port('1/1', 'no ip address', 'portmode hybrid', 'switchport', 'protocol lldp', ' disable', 'no shutdown'),
      ...['interface Vlan 5', ' tagged GigabitEthernet 1/1', ' no shutdown', '!'],
      ...['interface Vlan 6', ' untagged GigabitEthernet 1/1-1/3', '!'],
    ];
    const before = carried(config(...lines), '1/1') ?? { native: null, tagged: [] };
    const line = fc
      .tuple(
        fc.constantFrom('', ' ', '  '),
        fc.oneof(
          fc.constantFrom('dot1x authentication', 'gvrp enable', 'openflow of-instance 1', 'vlan-stack access', '!'),
          fc.stringMatching(/^[a-z%][a-zA-Z0-9 %:/-]{0,20}$/),
        ),
      )
      // What takes a member away, or shuts the port, is known.
      .filter(([, text]) => !/^(?:no |shutdown|interface |default|end)/.test(text))
      .map(([indent, text]) => `${indent}${text}`);
    fc.assert(
      fc.property(line, fc.nat(lines.length), (inserted, at) => {
        const after = readingOr(() => carried(config(...lines.toSpliced(at, 0, inserted)), '1/1'));
        return after === null || !isNarrower(after, before);
      }),
      { seed, numRuns: 2000 * effort },
    );
  });

  it('is not guessed', () => {
    expect(() => dellConfigFrom('% Error: Invalid input', 'GigabitEthernet')).toThrow('Invalid input');
    expect(() => config('interface Vlan 5', ' tagged GigabitEthernet 1/1-2/3')).toThrow('1/1-2/3');
    expect(() => config('interface Vlan 5', ' tagged GigabitEthernet all')).toThrow('all');
    expect(() => config('interface Vlan 5', ' tagged GigabitEthernet 3')).toThrow('3');
  });
});

describe('the OS9 driver', () => {
  it('takes and refuses port names', () => {
    expect(dellnos9.portName('1/3')).toBe('1/3');
    expect(dellnos9.portName('1/0/3')).toBe('1/0/3');
    for (const name of ['3', 'gi1/3', '1/3\r\nshutdown', '1/3-1/5'])
      expect(isRefusal(dellnos9.portName(name))).toBe(true);
  });

  it('wants the native network first', () => {
    const connect = { kind: 'connect', channel: 'vlan/100', vlan: 100 } as const;
    expect(dellnos9.refuse?.({ native: null, tagged: [] }, connect)).toHaveProperty('refused');
    expect(dellnos9.refuse?.({ native: 99, tagged: [] }, connect)).toBeNull();
  });
});

describe('a switch with OS9', () => {
  let device: LabDellOs9;
  const sessions: SwitchSession[] = [];
  const open = async (fields = {}): Promise<SwitchSession> => {
    const session = await openTo(dellnos9, device, fields);
    sessions.push(session);
    return session;
  };
  /** What was configured, request by request, a line a command. */
  const configured = (): readonly (readonly string[])[] =>
    device
      .asked()
      .flatMap(({ body }) => /<config-commands>([^<]*)/.exec(body)?.[1] ?? [])
      .map((commands) => commands.split('\r\n'));

  beforeAll(async () => {
    device = await startDellOs9();
  });
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close()));
  });
  afterAll(() => device.stop());

  it('opens a port only after all else went well', async () => {
    const session = await open();
    const moments = await setAndWatch(session, device, { port: '1/1', native: 100, tagged: [101] });
    expect(moments).toEqual([
      { native: null, tagged: [] },
      { native: 100, tagged: [101] },
    ]);
    expect(configured()).toEqual([
      [
        ...['interface GigabitEthernet 1/1', 'portmode hybrid', 'switchport', 'exit'],
        ...['interface vlan 100', 'untagged GigabitEthernet 1/1', 'exit'],
        ...['interface vlan 101', 'tagged GigabitEthernet 1/1', 'exit'],
      ],
      ['interface GigabitEthernet 1/1', 'no shutdown', 'exit'],
    ]);
  });

  it('goes on running while tagged networks come and go', async () => {
    const session = await open();
    await session.apply([{ port: '1/2', native: 100, tagged: [101, 102] }], amply());
    const moments = await setAndWatch(session, device, { port: '1/2', native: 100, tagged: [102, 103] });
    expect(moments).toEqual([
      { native: 100, tagged: [102] },
      { native: 100, tagged: [102, 103] },
    ]);
  });

  it('is shut while its native network changes, so that the default VLAN never shows', async () => {
    const session = await open();
    const before = { native: 100, tagged: [101, 200] };
    const after = { native: 200, tagged: [100] };
    await session.apply([{ port: '1/3', ...before }], amply());
    const moments = await setAndWatch(session, device, { port: '1/3', ...after });
    expect(foreignVlans(moments, before, after)).toEqual([]);
    expect(moments).toEqual([{ native: null, tagged: [] }, after]);
  });

  it('does not fail for a port in a foreign mode, and corrects it', async () => {
    await expectOddPortSetRight(await open(), device, '1/9');
  });

  it.each<[string, readonly string[], readonly string[], string]>([
    ['a bundle', [' port-channel-protocol LACP', '  port-channel 2 mode active'], [], 'port-channel-protocol LACP'],
    [
      'copies of frames',
      [],
      ['monitor session 1', ' source GigabitEthernet 1/7 destination GigabitEthernet 1/10 direction both', '!'],
      'monitor session 1',
    ],
    ['802.1X', [' dot1x authentication', ' dot1x guest-vlan 500'], [], 'dot1x authentication'],
  ])('does not open a port with %s, and shuts it when it is freed', async (_, lines, sections, words) => {
    const session = await open();
    await device.tamper('1/10', { native: 700, tagged: [] });
    device.configure('1/10', lines, sections, [500, 501]);
    await expectUnclearPort(session, device, '1/10', words);
    device.configure('1/10');
  });

  it('shuts a port that is freed, however idle it looks', async () => {
    const session = await open();
    device.asked();
    await expectFreed(session, device, '1/11');
    expect(configured().flat()).toContain('shutdown');
  });

  it('takes a port out of layer 2 mode to make it hybrid, which it cannot become inside', async () => {
    const session = await open();
    await device.tamper('1/4', { native: 700, tagged: [] });
    const moments = await setAndWatch(session, device, { port: '1/4', native: 100, tagged: [101] });
    expect(moments).toEqual([
      { native: null, tagged: [] },
      { native: 100, tagged: [101] },
    ]);
    expect(configured().flat()).toEqual(expect.arrayContaining(['no switchport', 'portmode hybrid', 'switchport']));
  });

  it('takes long changes in requests of at most 1000 characters', async () => {
    const session = await open();
    const tagged = Array.from({ length: 60 }, (_, index) => 500 + 3 * index);
    await setAndWatch(session, device, { port: '1/5', native: 100, tagged });
    const requests = configured().map((commands) => commands.join('\r\n'));
    expect(requests.length).toBeGreaterThan(3);
    expect(Math.max(...requests.map((commands) => commands.length))).toBeLessThanOrEqual(1000);
    expect(requests.filter((commands) => commands.includes('no shutdown'))).toEqual([requests.at(-1)]);
  });

  it('leaves a port shut when it refuses its VLAN, and does the others of the same request', async () => {
    const session = await open();
    device.moments('1/6');
    const outcomes = await session.apply(
      [
        { port: '1/6', native: 4094, tagged: [301] },
        { port: '1/7', native: 300, tagged: [] },
      ],
      amply(),
    );
    expect(outcomes).toEqual([
      { port: '1/6', applied: false, reason: expect.stringContaining('reserved') as string },
      { port: '1/7', applied: true },
    ]);
    expect(device.moments('1/6').every(({ native, tagged }) => native === null && tagged.length === 0)).toBe(true);
    expect(await device.carried('1/7')).toEqual({ native: 300, tagged: [] });
  });

  it('takes an idle port out of layer 2 mode', async () => {
    const session = await open();
    await session.apply([{ port: '1/8', native: 100, tagged: [101] }], amply());
    await setAndWatch(session, device, { port: '1/8', native: null, tagged: [] });
    expect(configured().flat()).toEqual([
      ...['interface GigabitEthernet 1/8', 'shutdown', 'exit'],
      ...['interface vlan 101', 'no tagged GigabitEthernet 1/8', 'exit'],
      ...['interface vlan 100', 'no untagged GigabitEthernet 1/8', 'exit'],
      ...['interface GigabitEthernet 1/8', 'no switchport', 'exit'],
    ]);
  });

  it('lets nobody in with a wrong password', async () => {
    await expect(open({ password: 'sesame' })).rejects.toThrow('rejects the login');
  });

  it('is reached under all the forms of its address', async () => {
    const { hostname } = device.fields;
    const [host, number] = String(hostname).split(':');
    await open({ hostname: `http://${host}:${number}/` });
    await open({ hostname: host, port: Number(number) });
  });
});
