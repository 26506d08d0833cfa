import { type ScriptedSwitch, startAristaEos } from '@corral/lab';
import { afterEach, describe, expect, it } from 'vitest';
import { aristaEos } from '../../src/drivers/switches/cli/arista-eos.ts';
import { cliSwitch } from '../../src/drivers/switches/cli/cli-driver.ts';
import type { PortConfig, SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { checkOf, inBody } from '@corral/base/schema/schema-check';

const driver = cliSwitch(aristaEos);
const amply = () => AbortSignal.timeout(30_000);
const all = Array.from({ length: 4094 }, (_, index) => index + 1);
const port = 'Ethernet49/1';
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const start = async (): Promise<{ device: ScriptedSwitch; session: SwitchSession }> => {
  const device = await startAristaEos();
  undo.push(() => device.stop());
  const session = await driver.open({ label: 'sw', config: device.fields }, amply());
  undo.push(() => session.close());
  return { device, session };
};
const told = async (device: ScriptedSwitch, session: SwitchSession, wanted: PortConfig): Promise<readonly string[]> => {
  const from = device.console.transcript.length;
  expect(await session.apply([wanted], amply())).toEqual([{ port: wanted.port, applied: true }]);
  const lines = device.console.transcript.slice(from);
  return lines.slice(lines.indexOf(`interface ${port}`), -1);
};

describe('what EOS shows of a port', () => {
  it.each<[string[], { native: number | null; tagged: number[] }]>([
    [[], { native: 1, tagged: [] }],
    [['switchport access vlan 100'], { native: 100, tagged: [] }],
    [['shutdown', 'switchport access vlan 100'], { native: null, tagged: [] }],
    [['switchport mode trunk'], { native: 1, tagged: all.slice(1) }],
    [
      ['switchport trunk native vlan tag', 'switchport trunk allowed vlan 7-9,20', 'switchport mode trunk'],
      { native: null, tagged: [7, 8, 9, 20] },
    ],
    [
      ['switchport trunk native vlan 7', 'switchport trunk allowed vlan 7-9', 'switchport mode trunk'],
      { native: 7, tagged: [8, 9] },
    ],
    [['switchport trunk allowed vlan 7', 'switchport mode trunk'], { native: null, tagged: [7] }],
    [['switchport trunk allowed vlan none', 'switchport mode trunk'], { native: null, tagged: [] }],
    [['switchport mode dot1q-tunnel'], { native: 1, tagged: all.slice(1) }],
    [['switchport mode trunk phone'], { native: 1, tagged: all.slice(1) }],
  ])('%j', (lines, state) => {
    const text = [`interface ${port}`, ...lines.map((line) => `   ${line}`), 'interface Management1'].join('\n');
    expect(aristaEos.read.parse([text], null)).toMatchObject([{ port, ...state }]);
  });
});

it.each([
  ['et1', 'Ethernet1'],
  ['Ethernet 49/1', 'Ethernet49/1'],
  ['eth3/1/1', 'Ethernet3/1/1'],
])('port %s is %s', (name, normal) => expect(driver.portName(name)).toBe(normal));

it.each(['1', 'Management1', 'Port-Channel1', 'et1-4', 'Ethernet1.100'])('%j is no port', (name) =>
  expect(driver.portName(name)).toHaveProperty('refused'),
);

it('needs no VLAN to park ports in', () => {
  const check = checkOf(driver.config, inBody);
  expect(check({ hostname: 'h', username: 'u', password: 'p' })).toEqual([]);
  expect(check({ hostname: 'h', username: 'u', password: 'p', dummy_vlan: 9 })).not.toEqual([]);
});

it('a port is shut while it is changed, and opened at the end', async () => {
  const { device, session } = await start();
  expect(await told(device, session, { port, native: null, tagged: [100, 101] })).toEqual([
    `interface ${port}`,
    'shutdown',
    'switchport',
    'switchport trunk allowed vlan none',
    'switchport trunk native vlan tag',
    'switchport trunk allowed vlan 100-101',
    'switchport mode trunk',
    'no switchport access vlan',
    'no shutdown',
  ]);
  expect(await told(device, session, { port, native: 100, tagged: [] })).toEqual([
    `interface ${port}`,
    'shutdown',
    'switchport',
    'switchport trunk allowed vlan none',
    'switchport access vlan 100',
    'switchport mode access',
    'no shutdown',
  ]);
});

it('a port without networks stays shut, and would carry nothing if it were opened', async () => {
  const { device, session } = await start();
  const lines = await told(device, session, { port, native: null, tagged: [] });
  expect(lines).not.toContain('no shutdown');
  const shown = `interface ${port}\n   switchport trunk native vlan tag\n   switchport trunk allowed vlan none\n   switchport mode trunk`;
  expect(aristaEos.read.parse([shown], null)).toEqual([{ port, native: null, tagged: [] }]);
});

it('a trunk whose tagged VLANs change keeps its link', async () => {
  const { device, session } = await start();
  await told(device, session, { port, native: 100, tagged: [101] });
  expect(await told(device, session, { port, native: 100, tagged: [300] })).toEqual([
    `interface ${port}`,
    'switchport trunk native vlan 100',
    'switchport trunk allowed vlan 100,300',
  ]);
});

it('a port whose module is not there is a refusal, though EOS only remarks it', () => {
  const remark = '! Interface does not exist. The configuration will not take effect until the module is inserted.';
  expect(aristaEos.syntax.errors.some((error) => error.test(remark))).toBe(true);
});

it('tells what the switch says to a VLAN that it uses inside', async () => {
  const { session } = await start();
  expect(await session.apply([{ port, native: 1006, tagged: [] }], amply())).toEqual([
    { port, applied: false, reason: 'the switch answers "vlan 1006" with: % VLAN 1006 is an internal VLAN' },
  ]);
});
