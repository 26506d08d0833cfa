import { newKeyPair, startCiscoNxos } from '@corral/lab';
import { describe, expect, it } from 'vitest';
import { nexus } from '../../src/drivers/switches/cli/cisco-nxos.ts';
import { checkOf, inBody } from '@corral/base/schema/schema-check';
import { amply, cliTrial, toldDuring } from '../support/switches/cli-fixture.ts';

const trial = () => cliTrial(nexus, startCiscoNxos({ series: 5000, asksFirst: true }));
const port = 'Ethernet1/42';

describe('the fields of a nexus', () => {
  const check = checkOf(nexus.config, inBody);
  const fields = { hostname: 'h', username: 'u', password: 'p', dummy_vlan: 2222 };

  it.each([{}, { dummy_vlan: '2222' }, { port: 2222 }, { host_key: `SHA256:${'a'.repeat(43)}` }])('may be %j', (more) =>
    expect(check({ ...fields, ...more })).toEqual([]),
  );

  it.each([{ dummy_vlan: undefined }, { dummy_vlan: 'x' }, { dummy_vlan: 4095 }, { password: undefined }])(
    'may not be %j',
    (more) => expect(check({ ...fields, ...more })).not.toEqual([]),
  );

  it('come with the long type that existing clients send', () => {
    expect(nexus.hasLegacyType).toBe(true);
  });
});

describe('a port of a nexus', () => {
  it.each([
    ['ethernet 1/42', 'Ethernet1/42'],
    ['ethernet1/42', 'Ethernet1/42'],
    ['Ethernet1/42', 'Ethernet1/42'],
    ['Eth100/1/3', 'Ethernet100/1/3'],
  ])('may be called %s', (name, normal) => expect(nexus.portName(name)).toBe(normal));

  it.each(['', '1/42', 'mgmt0', 'ethernet', 'ethernet 1/42 ', 'port-channel1', 'e\nthernet1/1'])(
    'may not be called %j',
    (name) => expect(nexus.portName(name)).toHaveProperty('refused'),
  );

  it('gets its VLANs while it is shut, and the dummy VLAN is never made', async () => {
    const { device, open } = await trial();
    const session = await open();
    const told = await toldDuring(device, () =>
      session.apply([{ port, native: null, tagged: [101, 102, 300] }], amply()),
    );
    expect(told).toEqual([
      'configure terminal',
      'vlan 101-102,300',
      'exit',
      `interface ${port}`,
      'shutdown',
      'switchport',
      'switchport mode trunk',
      'switchport trunk allowed vlan none',
      'switchport trunk native vlan 998',
      'switchport trunk allowed vlan 101-102,300',
      'no shutdown',
      'end',
    ]);
  });

  it('keeps its link while only its tagged VLANs change, and says yes where the switch asks', async () => {
    const { device, open } = await trial();
    const session = await open();
    await session.apply([{ port, native: 100, tagged: [101] }], amply());
    const told = await toldDuring(device, () => session.apply([{ port, native: 100, tagged: [102] }], amply()));
    expect(told).toContain('yes');
    expect(told).not.toContain('shutdown');
    expect(await device.carried(port)).toEqual({ native: 100, tagged: [102] });
  });

  it('is not contacted if it is right already', async () => {
    const { device, open } = await trial();
    const session = await open();
    const state = { port, native: 100, tagged: [101] };
    await session.apply([state], amply());
    const told = await toldDuring(device, () => session.apply([state], amply()));
    expect(told.filter((line) => line.startsWith('interface') || line.startsWith('switchport'))).toEqual([]);
  });

  it('cannot carry the dummy VLAN', async () => {
    const { open } = await trial();
    const outcomes = await (await open()).apply([{ port, native: 998, tagged: [] }], amply());
    expect(outcomes).toEqual([{ port, applied: false, reason: 'VLAN 998 is the dummy_vlan of the switch' }]);
  });

  it('says what the switch said to a VLAN that it refuses', async () => {
    const { open } = await trial();
    const [outcome] = await (await open()).apply([{ port, native: 4000, tagged: [] }], amply());
    expect(outcome).toMatchObject({
      reason:
        'the switch answers "vlan 4000" with: ERROR: Cannot create VLANs 3968-4047,4094: reserved for internal use',
    });
  });
});

describe('a login to a nexus', () => {
  it('is refused with a wrong password, nor to a wrong host', async () => {
    const { open } = await trial();
    await expect(open({ password: 'my secret' })).rejects.toThrow(/rejects the login of user corral$/);
    await expect(open({ host_key: newKeyPair().publicKey })).rejects.toThrow('not the one in "host_key"');
  });
});
