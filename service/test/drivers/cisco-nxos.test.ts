import { newKeyPair, startCiscoNxos } from '@corral/lab';
import { describe, expect, it } from 'vitest';
import { ciscoNxos } from '../../src/drivers/switches/cli/cisco-nxos.ts';
import { checkOf, inBody } from '@corral/base/schema/schema-check';
import { amply, cliTrial } from '../support/switches/cli-fixture.ts';

const trial = (publicKey?: string) =>
  cliTrial(ciscoNxos, startCiscoNxos({ series: 9500, ...(publicKey !== undefined && { publicKey }) }));
const port = 'Ethernet2/7';
const all = Array.from({ length: 4094 }, (_, index) => index + 1);

const readOf = (...lines: string[]) => {
  const text = ['interface Ethernet2/7', ...lines.map((line) => `  ${line}`), ''].join('\n');
  const [state] = ciscoNxos.read.parse([text, text], 998);
  return state && { native: state.native, tagged: state.tagged };
};

describe('what NX-OS shows of a port', () => {
  it.each([
    ['a routed port', ['no switchport', 'no shutdown'], { native: 1, tagged: all.slice(1) }],
    ['a port that is shut', ['switchport', 'switchport access vlan 5', 'shutdown'], { native: null, tagged: [] }],
    ['an access port', ['switchport', 'switchport access vlan 5', 'no shutdown'], { native: 5, tagged: [] }],
    ['a default port', ['switchport'], { native: 1, tagged: [] }],
    ['a default trunk', ['switchport mode trunk'], { native: 1, tagged: all.slice(1) }],
    [
      'a trunk whose native VLAN is not allowed',
      ['switchport mode trunk', 'switchport trunk native vlan 998', 'switchport trunk allowed vlan 7,9-10'],
      { native: null, tagged: [7, 9, 10] },
    ],
    [
      'a list in several lines',
      [
        'switchport mode trunk',
        'switchport trunk native vlan 3',
        'switchport trunk allowed vlan 1,3-4',
        'switchport trunk allowed vlan add 100-101,200',
      ],
      { native: 3, tagged: [1, 4, 100, 101, 200] },
    ],
    [
      'a trunk that allows nothing',
      ['switchport mode trunk', 'switchport trunk allowed vlan none'],
      { native: null, tagged: [] },
    ],
    ['a mode that we never set', ['switchport mode fex-fabric'], { native: 1, tagged: all.slice(1) }],
  ])('%s', (_, lines, state) => expect(readOf(...lines)).toEqual(state));

  it('leaves out what is no port', () => {
    const text =
      'interface Vlan1\n\ninterface port-channel1\n  switchport\n\ninterface mgmt0\n  ip address 192.0.2.1/24\n';
    expect(ciscoNxos.read.parse([text, text], 998)).toEqual([]);
  });

  it('is an error if a list makes no sense', () => {
    expect(() => readOf('switchport mode trunk', 'switchport trunk allowed vlan 7..9')).toThrow('7..9');
  });
});

describe('a port of NX-OS that is routed by default', () => {
  it('carries nothing, then what is configured', async () => {
    const { device, open } = await trial();
    const session = await open();
    expect(await session.read([port], amply())).toEqual([{ port, native: null, tagged: [] }]);
    await session.apply([{ port, native: 100, tagged: [101] }], amply());
    expect(await device.carried(port)).toEqual({ native: 100, tagged: [101] });
  });
});

it.each(["Syntax error while parsing 'switchport trunk native vlan 333'", 'command failed: not now', 'Bad VLAN list'])(
  '%j is a refusal',
  async (words) => {
    const { device, open } = await trial();
    device.refuse(/^switchport trunk native vlan 333$/, words);
    expect(await (await open()).apply([{ port, native: 333, tagged: [] }], amply())).toMatchObject([
      { applied: false, reason: expect.stringContaining(words) as string },
    ]);
    expect(await device.carried(port)).toEqual({ native: null, tagged: [] });
  },
);

describe('a login to NX-OS', () => {
  it('needs a password or a key', async () => {
    const check = checkOf(ciscoNxos.config, inBody);
    const fields = { hostname: 'h', username: 'u', dummy_vlan: 998 };
    expect(check(fields)).not.toEqual([]);
    expect(check({ ...fields, private_key: 'k' })).toEqual([]);
    const { privateKey, publicKey } = newKeyPair();
    const { open } = await trial(publicKey);
    await open({ password: undefined, private_key: privateKey });
  });

  it('is refused with a wrong password', async () => {
    const { open } = await trial();
    await expect(open({ password: 'wrong' })).rejects.toThrow(/rejects the login of user corral$/);
  });
});
