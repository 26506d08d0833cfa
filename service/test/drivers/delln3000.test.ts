import { newKeyPair, startDellN3000 } from '@corral/lab';
import { describe, expect, it } from 'vitest';
import { delln3000 } from '../../src/drivers/switches/cli/delln3000.ts';
import type { PortConfig } from '../../src/drivers/switches/switch-contract.ts';
import { checkOf, inBody } from '@corral/base/schema/schema-check';
import { amply, cliTrial, toldDuring } from '../support/switches/cli-fixture.ts';

const trial = () => cliTrial(delln3000, startDellN3000());
const port = 'gi1/0/5';
const all = Array.from({ length: 4094 }, (_, index) => index + 1);

const carried = ({ native, tagged }: PortConfig) => ({ port, native, tagged });

const values = {
  'VLAN Membership Mode': 'Trunk Mode',
  'Member of VLANs ': '(900),1-899',
  'Access Mode VLAN': '7',
  'General Mode PVID': '900',
  'General Mode Ingress Filtering': 'Enabled',
  'General Mode Acceptable Frame Type': 'Admit All',
  'General Mode Dynamically Added VLANs': '',
  'General Mode Untagged VLANs': '900',
  'General Mode Tagged VLANs': '1,25-26,40,\n                           200,301-303,\n                           920',
  'General Mode Forbidden VLANs': '',
  'Trunking Mode Native VLAN': '1 (default)',
  'Trunking Mode Native VLAN Tagging': 'Disabled',
  'Trunking Mode VLANs Enabled': 'All',
  Protected: 'Disabled',
};
const shown = (more: Partial<typeof values>, state = 'Up', description = '') => {
  const lines = Object.entries({ ...values, ...more }).map(([key, value]) => `${key}: ${value}`);
  const rows = `\nPort  Description  Duplex  Speed  Neg  MTU  Admin\n                            State\n----  ----\nGi1/0/5  ${description}  N/A  Unknown  Auto 1518  ${state}\n`;
  const [table, config] = [`\nPort: Gi1/0/5\n${lines.join('\n')}\n`, '!Current Configuration:\n'];
  return delln3000.read.parse([table, rows, config], 998).map(carried);
};

describe('what an N3000 shows of a port', () => {
  it.each([
    ['a default trunk', {}, { native: 1, tagged: all.slice(1) }],
    [
      'a trunk with a list that goes on',
      { 'Trunking Mode Native VLAN': '30', 'Trunking Mode VLANs Enabled': '10,20,\n                 30-32' },
      { native: 30, tagged: [10, 20, 31, 32] },
    ],
    [
      'a trunk whose native VLAN is not allowed',
      { 'Trunking Mode Native VLAN': '998', 'Trunking Mode VLANs Enabled': '10' },
      { native: null, tagged: [10] },
    ],
    [
      'a trunk in the dummy VLAN, where others may be',
      { 'Trunking Mode Native VLAN': '998', 'Trunking Mode VLANs Enabled': '998' },
      { native: 998, tagged: [] },
    ],
    [
      'a trunk that tags its native VLAN too',
      {
        'Trunking Mode Native VLAN': '10',
        'Trunking Mode VLANs Enabled': '10-11',
        'Trunking Mode Native VLAN Tagging': 'Enabled',
      },
      { native: null, tagged: [10, 11] },
    ],
    ['an access port', { 'VLAN Membership Mode': 'Access Mode' }, { native: 7, tagged: [] }],
    [
      'a general port that is like a trunk',
      { 'VLAN Membership Mode': 'General Mode' },
      { native: 900, tagged: [1, 25, 26, 40, 200, 301, 302, 303, 920] },
    ],
  ])('%s', (_, more, state) => expect(shown(more)).toEqual([{ port, ...state }]));

  it.each([
    { 'VLAN Membership Mode': 'Private VLAN Host Mode' },
    { 'VLAN Membership Mode': 'General Mode', 'General Mode Ingress Filtering': 'Disabled' },
    { 'VLAN Membership Mode': 'General Mode', 'General Mode Untagged VLANs': '900-901' },
    { 'VLAN Membership Mode': 'General Mode', 'General Mode Untagged VLANs': '901' },
    { 'VLAN Membership Mode': 'General Mode', 'General Mode Acceptable Frame Type': 'VLAN Only' },
  ])('what no trunk can be is taken for everything: %j', (more) =>
    expect(shown(more)).toEqual([{ port, native: 1, tagged: all.slice(1) }]),
  );

  it('a port is shut if its row ends so, whatever its description says', () => {
    expect(shown({}, 'Down', 'Up and running')).toEqual([{ port, native: null, tagged: [] }]);
    expect(shown({ 'VLAN Membership Mode': 'Access Mode' }, 'Up', 'Down under')).toEqual([
      { port, native: 7, tagged: [] },
    ]);
  });

  it('is an error if it makes no sense', () => {
    expect(() => shown({ 'Trunking Mode Native VLAN': 'many' })).toThrow('a VLAN reads "many"');
    expect(() => shown({ 'Trunking Mode VLANs Enabled': '10;11' })).toThrow('10;11');
  });
});

describe('a port of an N3000', () => {
  it('is allowed its native VLAN before that is chosen, all while it is shut', async () => {
    const { device, open } = await trial();
    const session = await open();
    const told = await toldDuring(device, () => session.apply([{ port, native: 100, tagged: [101] }], amply()));
    expect(told).toEqual([
      'configure',
      'vlan 100-101,998',
      'exit',
      `interface ${port}`,
      'shutdown',
      'switchport trunk allowed vlan 998',
      'switchport trunk native vlan 998',
      'switchport trunk allowed vlan 100-101',
      'switchport trunk native vlan 100',
      'switchport mode trunk',
      'no shutdown',
      'end',
    ]);
  });

  it('keeps its link while only its tagged VLANs change', async () => {
    const { device, open } = await trial();
    const session = await open();
    await session.apply([{ port, native: 100, tagged: [101] }], amply());
    const told = await toldDuring(device, () => session.apply([{ port, native: 100, tagged: [102] }], amply()));
    expect(told.filter((line) => line.startsWith('switchport') || line.includes('shutdown'))).toEqual([
      'switchport trunk allowed vlan 100,102',
      'switchport trunk native vlan 100',
      'switchport mode trunk',
    ]);
  });

  it('says what the switch said to a VLAN that it refuses', async () => {
    const { open } = await trial();
    const [outcome] = await (await open()).apply([{ port, native: 4094, tagged: [] }], amply());
    expect(outcome).toMatchObject({
      reason: expect.stringMatching(
        /^the switch answers "vlan 4094" with: .*ERROR: VLAN ID is out of range$/,
      ) as string,
    });
  });

  it('stays shut if the dummy VLAN cannot be made', async () => {
    const { device, open } = await trial();
    const session = await open({ dummy_vlan: '4094' });
    const [outcome] = await session.apply([{ port, native: 100, tagged: [] }], amply());
    expect(outcome).toMatchObject({ applied: false });
    expect(await device.carried(port)).toEqual({ native: null, tagged: [] });
  });
});

describe('an N3000', () => {
  it('has the fields and the long type that existing clients send', () => {
    const check = checkOf(delln3000.config, inBody);
    const fields = { hostname: 'h', username: 'u', password: 'p' };
    expect(check({ ...fields, dummy_vlan: 998 })).toEqual([]);
    expect(check({ ...fields, dummy_vlan: '998' })).toEqual([]);
    expect(check(fields)).not.toEqual([]);
    expect(delln3000.hasLegacyType).toBe(true);
  });

  it('lets nobody in with a wrong password, nor to a wrong host', async () => {
    const { open } = await trial();
    await expect(open({ password: 'wrong' })).rejects.toThrow(/rejects the login of user corral$/);
    await expect(open({ host_key: newKeyPair().publicKey })).rejects.toThrow('not the one in "host_key"');
  });

  it('asks before it saves, and gets yes as the answer', async () => {
    const { device, open } = await trial();
    const session = await open();
    expect(await toldDuring(device, async () => session.save?.(amply()))).toEqual([
      'copy running-config startup-config',
      'y',
    ]);
  });
});
