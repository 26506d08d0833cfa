import { newKeyPair, type PowerConnectOptions, startPowerConnect55xx } from '@corral/lab';
import { describe, expect, it } from 'vitest';
import { powerconnect55xx } from '../../src/drivers/switches/cli/powerconnect55xx.ts';
import { checkOf, inBody } from '@corral/base/schema/schema-check';
import { amply, cliTrial, toldDuring } from '../support/switches/cli-fixture.ts';

const trial = (options: PowerConnectOptions = {}) => cliTrial(powerconnect55xx, startPowerConnect55xx(options));
const port = 'gi1/0/5';
const all = Array.from({ length: 4094 }, (_, index) => index + 1);

const table = (mode: string, native: string, enabled: string): string =>
  `Name: ${port}\nSwitchport: enable\nAdministrative Mode: ${mode}\nAccess Mode VLAN: 7\nTrunking Native Mode VLAN: ${native}\nTrunking VLANs Enabled: ${enabled}\nGeneral PVID: 1\nClassification rules:\n\n`;
const row = (state: string): string =>
  `${port}  1G-Copper    Full    1000   Enabled  Off      ${state}  Disabled Auto\n`;
const shown = (tables: string, rows = '') =>
  powerconnect55xx.read
    .parse([tables, rows, ''], null)
    .map(({ port: name, native, tagged }) => ({ port: name, native, tagged }));

describe('what a PowerConnect shows of a port', () => {
  it.each([
    ['an access port', 'access', '1', '1', { native: 7, tagged: [] }],
    ['a trunk with lists as they were seen', 'trunk', 'none', '10, 2000', { native: null, tagged: [10, 2000] }],
    ['ranges with spaces', 'trunk', '3', '3, 23 - 25', { native: 3, tagged: [23, 24, 25] }],
    ['VLANs that do not exist', 'trunk', '3 (Inactive)', '1\n        3-5 (Inactive)', { native: 3, tagged: [1, 4, 5] }],
    [
      'a list that goes on',
      'trunk',
      'none',
      '500, 503,\n         506\n         509',
      { native: null, tagged: [500, 503, 506, 509] },
    ],
    ['a trunk that carries nothing', 'trunk', 'none', 'none', { native: null, tagged: [] }],
    ['a default trunk', 'trunk', '1', '1\n        2-4094 (Inactive)', { native: 1, tagged: all.slice(1) }],
    ['a mode that we never set', 'general', '1', 'none', { native: 1, tagged: all.slice(1) }],
  ])('%s', (_, mode, native, enabled, state) =>
    expect(shown(table(mode, native, enabled), row('Up'))).toEqual([{ port, ...state }]),
  );

  it('a port that is shut carries nothing, and an empty slot is no port', () => {
    expect(shown(table('trunk', '5', '5'), row('Down'))).toEqual([{ port, native: null, tagged: [] }]);
    expect(shown(table('trunk', '5', '5'), row('--'))).toEqual([]);
  });

  it('is an error if something is missing or makes no sense', () => {
    expect(() => shown(table('trunk', '5', '5'))).toThrow('does not show whether port gi1/0/5 is shut');
    expect(() => shown(`Name: ${port}\n\n`, row('Up'))).toThrow(
      'does not show the "administrative mode" of port gi1/0/5',
    );
    expect(() => shown(table('trunk', 'many', '5'), row('Up'))).toThrow('a VLAN reads "many"');
    expect(() => shown(table('trunk', '5', '5;6'), row('Up'))).toThrow('5;6');
  });
});

describe('a port of a PowerConnect', () => {
  it.each(['gi1/0/11', 'te1/0/12', 'gi1/12', 'te1/3'])('may be called %s', (name) =>
    expect(powerconnect55xx.portName(name)).toBe(name),
  );

  it.each(['1/0/11', 'fa1/0/1', 'gi', 'gi1/0/1\n', 'po1'])('may not be called %j', (name) =>
    expect(powerconnect55xx.portName(name)).toHaveProperty('refused'),
  );

  it('gets its VLANs while it is shut, and never falls back to VLAN 1', async () => {
    const { device, open } = await trial();
    const session = await open();
    await session.apply([{ port, native: 100, tagged: [101] }], amply());
    const told = await toldDuring(device, () => session.apply([{ port, native: 200, tagged: [101] }], amply()));
    expect(told).toEqual([
      'configure',
      'vlan database',
      'vlan 101,200',
      'exit',
      `interface ${port}`,
      'shutdown',
      'switchport mode trunk',
      'switchport trunk native vlan none',
      'switchport trunk allowed vlan none',
      'switchport trunk allowed vlan add 101,200',
      'switchport trunk native vlan 200',
      'no shutdown',
      'end',
    ]);
  });

  it('keeps its link while only its tagged VLANs change', async () => {
    const { device, open } = await trial();
    const session = await open();
    await session.apply([{ port, native: 100, tagged: [101, 102] }], amply());
    const told = await toldDuring(device, () => session.apply([{ port, native: 100, tagged: [102, 103] }], amply()));
    expect(told.filter((line) => line.startsWith('switchport') || line.includes('shutdown'))).toEqual([
      'switchport trunk native vlan 100',
      'switchport trunk allowed vlan remove 101',
      'switchport trunk allowed vlan add 103',
    ]);
    expect(await device.carried(port)).toEqual({ native: 100, tagged: [102, 103] });
  });

  it('says what the switch said to a VLAN that it refuses', async () => {
    const { open } = await trial();
    const [outcome] = await (await open()).apply([{ port, native: 4094, tagged: [] }], amply());
    expect(outcome).toMatchObject({
      reason: 'the switch answers "vlan 4094" with: VLAN 4094 was not created: it is in use internally',
    });
  });
});

describe('a PowerConnect', () => {
  it('has the fields and the long type that existing clients send', () => {
    const check = checkOf(powerconnect55xx.config, inBody);
    expect(check({ hostname: 'h', username: 'u', password: 'p' })).toEqual([]);
    expect(check({ hostname: 'h', username: 'u', password: 'p', dummy_vlan: 9 })).not.toEqual([]);
    expect(powerconnect55xx.hasLegacyType).toBe(true);
  });

  it('may ask who it is only after it has let everybody in', async () => {
    const { device, open } = await trial({ asksInShell: true });
    const session = await open();
    await session.apply([{ port, native: 100, tagged: [] }], amply());
    expect(await device.carried(port)).toEqual({ native: 100, tagged: [] });
    const failure = await open({ password: 'my secret' }).catch((error: unknown) => String(error));
    expect(failure).toBe('Error: the switch rejects the login of user corral');
  });

  it('lets nobody in with a wrong password, nor to a wrong host', async () => {
    const { open } = await trial();
    await expect(open({ password: 'wrong' })).rejects.toThrow(/rejects the login of user corral$/);
    await expect(open({ host_key: newKeyPair().publicKey })).rejects.toThrow('not the one in "host_key"');
  });

  it('asks before it overwrites its startup configuration, and gets yes as the answer', async () => {
    const { device, open } = await trial();
    const session = await open();
    expect(await toldDuring(device, async () => session.save?.(amply()))).toEqual([
      'copy running-config startup-config',
      'y',
    ]);
  });
});
