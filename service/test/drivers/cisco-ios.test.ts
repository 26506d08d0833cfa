import { type CiscoIosOptions, type ScriptedSwitch, startCiscoIos } from '@corral/lab';
import { afterEach, describe, expect, it } from 'vitest';
import { ciscoIos } from '../../src/drivers/switches/cli/cisco-ios.ts';
import { cliSwitch } from '../../src/drivers/switches/cli/cli-driver.ts';
import type { PortConfig, SwitchSession } from '../../src/drivers/switches/switch-contract.ts';

const driver = cliSwitch(ciscoIos);
const amply = () => AbortSignal.timeout(30_000);
const all = Array.from({ length: 4094 }, (_, index) => index + 1);
const port = 'GigabitEthernet1/0/1';
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const start = async (options: CiscoIosOptions = {}): Promise<{ device: ScriptedSwitch; session: SwitchSession }> => {
  const device = await startCiscoIos(options);
  undo.push(() => device.stop());
  const session = await driver.open({ label: 'sw', config: device.fields }, amply());
  undo.push(() => session.close());
  return { device, session };
};
/** What the switch was told about its ports while this was done, the looking aside. */
const told = async (device: ScriptedSwitch, session: SwitchSession, wanted: PortConfig): Promise<readonly string[]> => {
  const from = device.console.transcript.length;
  expect(await session.apply([wanted], amply())).toEqual([{ port: wanted.port, applied: true }]);
  const lines = device.console.transcript.slice(from);
  const at = lines.findIndex((line) => line.startsWith('interface '));
  return at < 0 ? [] : lines.slice(at, -1);
};
const block = (...lines: string[]): string =>
  [`interface ${port}`, ...lines.map((line) => ` ${line}`), 'end'].join('\n');
const read = (...lines: string[]) => {
  const [state] = ciscoIos.read.parse([block(...lines)], 998);
  return state && { port: state.port, native: state.native, tagged: state.tagged };
};

describe('what IOS shows of a port', () => {
  it.each<[string[], { native: number | null; tagged: number[] }]>([
    [['switchport access vlan 100', 'switchport mode access'], { native: 100, tagged: [] }],
    [['switchport mode access'], { native: 1, tagged: [] }],
    [['switchport access vlan 100', 'switchport mode access', 'shutdown'], { native: null, tagged: [] }],
    [
      ['switchport access vlan 100', 'switchport mode access', 'switchport voice vlan 110'],
      { native: 1, tagged: all.slice(1) },
    ],
    [
      ['switchport trunk native vlan 5', 'switchport trunk allowed vlan 5,7-9', 'switchport mode trunk'],
      { native: 5, tagged: [7, 8, 9] },
    ],
    [
      ['switchport trunk native vlan 998', 'switchport trunk allowed vlan 7-9', 'switchport mode trunk'],
      { native: null, tagged: [7, 8, 9] },
    ],
    [
      ['switchport trunk allowed vlan 7', 'switchport trunk allowed vlan add 1,3', 'switchport mode trunk'],
      { native: 1, tagged: [3, 7] },
    ],
    [['switchport trunk allowed vlan none', 'switchport mode trunk'], { native: null, tagged: [] }],
    [['switchport mode trunk'], { native: 1, tagged: all.slice(1) }],
    // Open in the dead VLAN, it would reach the next one that is: only a shut port carries nothing.
    [['switchport access vlan 998', 'switchport mode access'], { native: 998, tagged: [] }],
    [['no switchport', 'ip address 192.0.2.1 255.255.255.0'], { native: 1, tagged: all.slice(1) }],
    // What the other end decides, or what is not known here, is taken for everything.
    [[], { native: 1, tagged: all.slice(1) }],
    [['switchport access vlan 100', 'switchport trunk allowed vlan 7'], { native: 1, tagged: all.slice(1) }],
    [['switchport mode private-vlan host'], { native: 1, tagged: all.slice(1) }],
    [['switchport access vlan dynamic', 'switchport mode access'], { native: 1, tagged: all.slice(1) }],
  ])('%j', (lines, state) => {
    expect(read(...lines)).toEqual({ port, ...state });
  });

  it('is a fault if the list of VLANs is garbage', () => {
    expect(() => read('switchport trunk allowed vlan 7,,$$', 'switchport mode trunk')).toThrow('a list of VLANs reads');
  });

  it('names ports as they are registered, and leaves out what is no port', () => {
    const text = ['interface Vlan1', ' shutdown', 'interface TwentyFiveGigE1/1/1', ' shutdown', 'interface Loopback0'];
    expect(ciscoIos.read.parse([text.join('\n')], 998).map((state) => state.port)).toEqual(['TwentyFiveGigE1/1/1']);
  });
});

describe('port names', () => {
  it.each([
    ['gi1/0/1', 'GigabitEthernet1/0/1'],
    ['Gig 1/0/1', 'GigabitEthernet1/0/1'],
    ['FastEthernet0/24', 'FastEthernet0/24'],
    ['te1/1/4', 'TenGigabitEthernet1/1/4'],
    ['Tw1/0/1', 'TwoGigabitEthernet1/0/1'],
    ['twe1/0/1', 'TwentyFiveGigE1/0/1'],
    ['twentyfivegige1/0/1', 'TwentyFiveGigE1/0/1'],
  ])('%s is %s', (name, normal) => expect(driver.portName(name)).toBe(normal));

  it.each(['1/0/1', 'gi', 'gi1/0/1 ', 'vlan1', 'port-channel1', 'gi1/0/01', 'gi1/0/1;reload', 'range gi1/0/1 - 4'])(
    '%j is none',
    (name) => expect(driver.portName(name)).toHaveProperty('refused'),
  );
});

describe('the commands for a port', () => {
  it('shut it first, and open it when everything is set', async () => {
    const { device, session } = await start();
    expect(await told(device, session, { port, native: 100, tagged: [101, 102] })).toEqual([
      `interface ${port}`,
      'shutdown',
      'switchport',
      'switchport trunk encapsulation dot1q',
      'switchport trunk native vlan 100',
      'switchport trunk allowed vlan 100-102',
      'switchport mode trunk',
      'switchport access vlan 998',
      'no switchport voice vlan',
      'switchport nonegotiate',
      'no shutdown',
    ]);
    expect(await told(device, session, { port, native: 200, tagged: [] })).toEqual([
      `interface ${port}`,
      'shutdown',
      'switchport',
      'switchport mode access',
      'switchport access vlan 200',
      'switchport trunk allowed vlan none',
      'no switchport voice vlan',
      'switchport nonegotiate',
      'no shutdown',
    ]);
  });

  it('make the VLANs before any port has them', async () => {
    const { device, session } = await start();
    await told(device, session, { port, native: 100, tagged: [300] });
    const { transcript } = device.console;
    expect(transcript.indexOf('vlan 100,300,998')).toBeLessThan(transcript.indexOf(`interface ${port}`));
    expect(transcript).toContain('vlan 100,300,998');
  });

  it('leave it shut, in the dead VLAN, when it shall carry nothing', async () => {
    const { device, session } = await start();
    await told(device, session, { port, native: 100, tagged: [] });
    const lines = await told(device, session, { port, native: null, tagged: [] });
    expect(lines.slice(0, 5)).toEqual([
      `interface ${port}`,
      'shutdown',
      'switchport',
      'switchport mode access',
      'switchport access vlan 998',
    ]);
    expect(lines).not.toContain('no shutdown');
  });

  it('do not take the link of a trunk down when only its tagged VLANs change', async () => {
    const { device, session } = await start();
    await told(device, session, { port, native: 100, tagged: [101] });
    const lines = await told(device, session, { port, native: 100, tagged: [101, 300] });
    expect(lines.slice(0, 3)).toEqual([
      `interface ${port}`,
      'switchport trunk native vlan 100',
      'switchport trunk allowed vlan 100-101,300',
    ]);
    expect(lines).not.toContain('shutdown');
    expect(await device.carried(port)).toEqual({ native: 100, tagged: [101, 300] });
  });

  it('are none for a port that carries the right thing already', async () => {
    const { device, session } = await start();
    await told(device, session, { port, native: 100, tagged: [101] });
    expect(await told(device, session, { port, native: 100, tagged: [101] })).toEqual([]);
  });

  it('are taken by a model that knows ISL', async () => {
    const { device, session } = await start({ knowsIsl: true });
    await told(device, session, { port, native: null, tagged: [101] });
    expect(await device.carried(port)).toEqual({ native: null, tagged: [101] });
  });

  it('never put a port on the dead VLAN of the switch', async () => {
    const { session } = await start();
    expect(await session.apply([{ port, native: 100, tagged: [998] }], amply())).toEqual([
      { port, applied: false, reason: 'VLAN 998 is the dummy_vlan of the switch' },
    ]);
  });
});

describe('a refusal', () => {
  it('is reported in the words of the switch, and the next port is done', async () => {
    const { device, session } = await start();
    const outcomes = await session.apply(
      [
        { port, native: 1006, tagged: [] },
        { port: 'GigabitEthernet9/0/1', native: 100, tagged: [] },
        { port: 'GigabitEthernet1/0/2', native: 100, tagged: [] },
      ],
      amply(),
    );
    expect(outcomes).toEqual([
      {
        port,
        applied: false,
        reason:
          'the switch answers "exit" with: % Failed to create VLANs 1006 VLAN(s) not available in Port Manager. %Failed to commit extended VLAN(s) changes.',
      },
      { port: 'GigabitEthernet9/0/1', applied: false, reason: 'the switch has no port GigabitEthernet9/0/1' },
      { port: 'GigabitEthernet1/0/2', applied: true },
    ]);
    expect(await device.carried('GigabitEthernet1/0/2')).toEqual({ native: 100, tagged: [] });
    // The session is where it was: it can be used on.
    expect(await session.read(['GigabitEthernet1/0/2'], amply())).toHaveLength(1);
  });

  it('that has no mark, and leaves the configuration mode, is one all the same', async () => {
    const { device, session } = await start({ isVtpClient: true });
    expect(await session.apply([{ port, native: 100, tagged: [] }], amply())).toMatchObject([
      { applied: false, reason: expect.stringContaining('VTP VLAN configuration not allowed') as string },
    ]);
    expect(device.console.transcript).not.toContain(`interface ${port}`);
    expect(await session.read([port], amply())).toHaveLength(1);
  });

  it('that leaves the mode of the port silently is a fault, and nothing more is sent', async () => {
    const { device, session } = await start();
    device.refuse(new RegExp(`^interface ${port}$`), '');
    await expect(session.apply([{ port, native: 100, tagged: [] }], amply())).rejects.toThrow(`interface ${port}`);
    expect(device.console.transcript.at(-1)).toBe(`interface ${port}`);
  });

  it('in the middle of a port leaves that port shut', async () => {
    const { device, session } = await start({ refusesAccessVlan: 200 });
    const outcomes = await session.apply(
      [
        { port, native: 200, tagged: [] },
        { port: 'GigabitEthernet1/0/2', native: 100, tagged: [] },
      ],
      amply(),
    );
    expect(outcomes[0]).toMatchObject({
      applied: false,
      reason: expect.stringContaining('Command rejected') as string,
    });
    expect(outcomes[1]).toMatchObject({ applied: true });
    expect(await device.carried(port)).toEqual({ native: null, tagged: [] });
    expect(await device.carried('GigabitEthernet1/0/2')).toEqual({ native: 100, tagged: [] });
  });

  it('remarks and lines of the log are none', async () => {
    const { device, session } = await start({ isTalkative: true });
    await told(device, session, { port, native: 100, tagged: [] });
  });
});

it('saves with write memory', async () => {
  const { device, session } = await start();
  await session.save?.(amply());
  expect(device.console.transcript.at(-1)).toBe('write memory');
});
