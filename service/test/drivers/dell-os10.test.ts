import { newKeyPair, startDellOs10 } from '@corral/lab';
import { describe, expect, it } from 'vitest';
import { dellOs10 } from '../../src/drivers/switches/cli/dell-os10.ts';
import { loginFrom } from '../../src/drivers/switches/cli/cli-login.ts';
import { CliSession } from '../../src/drivers/switches/cli/cli-session.ts';
import { everything } from '../../src/drivers/switches/vlan-lists.ts';
import { amply, cliTrial, toldDuring } from '../support/switches/cli-fixture.ts';

const trial = () => cliTrial(dellOs10, startDellOs10());
const port = 'ethernet1/1/7';

const shown = (...lines: string[]) =>
  dellOs10.read
    .parse([['!', `interface ${port}`, ...lines.map((line) => ` ${line}`), '!'].join('\n')], null)
    .map(({ port: name, native, tagged, latent }) => ({ port: name, native, tagged, latent }));

describe('what OS10 shows of a port', () => {
  it.each([
    ['an access port', ['no shutdown', 'switchport access vlan 1'], { native: 1, tagged: [] }],
    ['a port in layer 3', ['no shutdown', 'no switchport', 'mtu 9216'], everything],
    [
      'a trunk with an untagged VLAN',
      ['no shutdown', 'switchport mode trunk', 'switchport access vlan 5', 'switchport trunk allowed vlan 7,9-10'],
      { native: 5, tagged: [7, 9, 10] },
    ],
    [
      'a trunk without one',
      ['no shutdown', 'switchport mode trunk', 'switchport trunk allowed vlan 32'],
      { native: null, tagged: [32] },
    ],
    ['an empty trunk', ['no shutdown', 'switchport mode trunk'], { native: null, tagged: [] }],
    [
      'a shut port, and what it would carry',
      ['shutdown', 'switchport mode trunk', 'switchport access vlan 5', 'switchport trunk allowed vlan 7'],
      { native: null, tagged: [], latent: [7] },
    ],
  ])('%s', (_, lines, state) => expect(shown(...lines)).toEqual([{ port, ...state }]));

  it('is an error if it makes no sense', () => {
    expect(shown('switchport access vlan many')).toEqual([{ port, ...everything }]);
    expect(() => shown('switchport mode trunk', 'switchport trunk allowed vlan seven')).toThrow('seven');
  });
});

describe('a port of OS10', () => {
  it.each([
    ['ethernet1/1/7', 'ethernet1/1/7'],
    ['ethernet 1/1/7', 'ethernet1/1/7'],
    ['Eth 1/1/7:2', 'ethernet1/1/7:2'],
  ])('may be called %s', (name, normal) => expect(dellOs10.portName(name)).toBe(normal));

  it.each(['1/1/7', 'ethernet1/1/7:9', 'ethernet1/1/7:', 'mgmt1/1/1', 'vlan100', 'breakout 1/1/1 map 10g-4x'])(
    'may not be called %j',
    (name) => expect(dellOs10.portName(name)).toHaveProperty('refused'),
  );

  it('changes its untagged VLAN into a tagged one, which OS10 never lets be both', async () => {
    const { device, open } = await trial();
    const session = await open();
    await session.apply([{ port, native: 100, tagged: [200] }], amply());
    const told = await toldDuring(device, async () => {
      const outcomes = await session.apply([{ port, native: 200, tagged: [100] }], amply());
      expect(outcomes).toEqual([{ port, applied: true }]);
    });
    expect(told).toEqual([
      'configure terminal',
      'interface vlan 100',
      'interface vlan 200',
      `interface ${port}`,
      'shutdown',
      'switchport mode trunk',
      'no switchport access vlan',
      'no switchport trunk allowed vlan 200',
      'switchport trunk allowed vlan 100',
      'switchport access vlan 200',
      'no shutdown',
      'end',
    ]);
  });

  it('that was left shut with other VLANs opens without them', async () => {
    const { device, open } = await trial();
    const session = await open();
    await session.apply([{ port, native: 100, tagged: [666, 667] }], amply());
    const byHand = await CliSession.open(loginFrom(device.fields), dellOs10.syntax, amply());
    for (const line of ['configure terminal', `interface ${port}`, 'shutdown']) await byHand.run(line, amply());
    byHand.close();
    const moments = device.watch(port);
    await (await open()).apply([{ port, native: null, tagged: [101] }], amply());
    expect(moments.at(-1)).toEqual({ native: null, tagged: [101] });
    expect(moments.flatMap(({ tagged }) => tagged).filter((vlan) => vlan > 600)).toEqual([]);
  });

  it('is distinguished from the text of the configuration around it', async () => {
    const { device, open } = await trial();
    const all = await (await open()).readAll?.(amply());
    expect(all?.map(({ port: name }) => name)).toEqual(device.ports);
  });

  it('is done although the log, which begins like a refusal, answers', async () => {
    const { device, open } = await trial();
    const text = `%IFM_ASTATE_UP: Interface admin state up :${port}`;
    device.interrupt({ text, to: /^(?:interface|switchport|no shutdown)/, afterLine: 0, times: 20 });
    expect(await (await open()).apply([{ port, native: 100, tagged: [] }], amply())).toEqual([{ port, applied: true }]);
    expect(await device.carried(port)).toEqual({ native: 100, tagged: [] });
  });

  it('says what the switch said to a VLAN that it refuses', async () => {
    const { open } = await trial();
    const [outcome] = await (await open()).apply([{ port, native: 4094, tagged: [] }], amply());
    expect(outcome).toMatchObject({
      reason: 'the switch answers "interface vlan 4094" with: % Error: VLAN 4094 is reserved for internal use.',
    });
  });
});

describe('a login to OS10', () => {
  it('is refused with a wrong password, nor to a wrong host', async () => {
    const { open } = await trial();
    await expect(open({ password: 'wrong' })).rejects.toThrow(/rejects the login of user corral$/);
    await expect(open({ host_key: newKeyPair().publicKey })).rejects.toThrow('not the one in "host_key"');
  });
});
