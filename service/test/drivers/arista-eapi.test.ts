import { hash } from 'node:crypto';
import { labCertificate, type LabHttpSwitch, startArista } from '@corral/lab';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isRefusal, type SwitchSession } from '../../src/drivers/switches/contract.ts';
import { aristaEapi } from '../../src/drivers/switches/http/arista-eapi.ts';
import { commandsFor, pendingSessions, portsFrom } from '../../src/drivers/switches/http/arista-ports.ts';
import { runCommands } from '../../src/drivers/switches/http/eapi.ts';
import { httpTargetFrom } from '../../src/drivers/switches/http/fields.ts';
import { HttpLine } from '../../src/drivers/switches/http/line.ts';
import { everything } from '../../src/drivers/switches/vlans.ts';
import { checkOf, inBody } from '@corral/base/schema/check';
import { amply, expectOddPortSetRight, openTo, setAndWatch } from '../support/http-switches.ts';

describe('the names of Arista ports', () => {
  it.each([
    ['Ethernet1', 'Ethernet1'],
    ['et1', 'Ethernet1'],
    ['Eth 49/1', 'Ethernet49/1'],
    ['ethernet 3/49/1', 'Ethernet3/49/1'],
    ['po5', 'Port-Channel5'],
    ['Port-Channel5', 'Port-Channel5'],
  ])('%s means %s', (name, normal) => {
    expect(aristaEapi.portName(name)).toBe(normal);
  });

  it.each(['1', 'Management1', 'Vlan5', 'Ethernet', 'Ethernet1-4', 'Ethernet1\nshutdown'])('are not %j', (name) => {
    expect(isRefusal(aristaEapi.portName(name))).toBe(true);
  });
});

describe('what an Arista switch shows of its ports', () => {
  const shown = (info: object, linkStatus = 'connected', enabled = true) =>
    portsFrom(
      { interfaceStatuses: { Ethernet1: { linkStatus }, Management1: { linkStatus: 'connected' } } },
      { switchports: { Ethernet1: { enabled, switchportInfo: info } } },
    ).get('Ethernet1');
  const trunk = { mode: 'trunk', accessVlanId: 1, trunkingNativeVlanId: 10 };

  it.each([
    ['an access port', { mode: 'access', accessVlanId: 30, trunkingNativeVlanId: 1 }, 30, []],
    ['a trunk with ranges', { ...trunk, trunkAllowedVlans: '4-6,10,20' }, 10, [4, 5, 6, 20]],
    ['a trunk whose native VLAN is not allowed', { ...trunk, trunkAllowedVlans: '20' }, null, [20]],
    ['a trunk for nothing', { ...trunk, trunkAllowedVlans: 'NONE' }, null, []],
    [
      'a trunk that drops untagged frames',
      { ...trunk, trunkAllowedVlans: '10,20', dot1qVlanTagRequired: true },
      null,
      [10, 20],
    ],
    ['a trunk that tags its native VLAN', { ...trunk, trunkingNativeVlanId: 0, trunkAllowedVlans: '10' }, null, [10]],
  ])('is understood for %s', (_, info, native, tagged) => {
    expect(shown(info)).toEqual({ port: 'Ethernet1', native, tagged });
  });

  it('is everything for a trunk out of the box', () => {
    const port = shown({ ...trunk, trunkAllowedVlans: 'ALL' });
    expect(port).toMatchObject({ native: 10 });
    expect(port?.tagged).toHaveLength(4093);
  });

  it('is everything for a port in a mode that is not ours', () => {
    expect(shown({ mode: 'dot1qTunnel' })).toEqual({ port: 'Ethernet1', ...everything });
  });

  it('is nothing for a port that is shut or routed', () => {
    const info = { ...trunk, trunkAllowedVlans: 'ALL' };
    expect(shown(info, 'disabled')).toEqual({ port: 'Ethernet1', native: null, tagged: [] });
    expect(shown(info, 'connected', false)).toEqual({ port: 'Ethernet1', native: null, tagged: [] });
  });

  it('is not guessed', () => {
    expect(() => shown({ ...trunk, trunkAllowedVlans: 'some' })).toThrow('some');
    expect(() => shown({ mode: 'access' })).toThrow('accessVlanId');
    expect(() => shown({})).toThrow('mode');
    expect(() => portsFrom({}, {})).toThrow('its ports');
  });
});

describe('the commands for an Arista port', () => {
  it('make VLANs before the port carries them, and open it last', () => {
    expect(commandsFor({ port: 'Ethernet1', native: 100, tagged: [101, 200] })).toEqual([
      'vlan 100-101,200',
      'exit',
      'interface Ethernet1',
      'switchport',
      'switchport mode trunk',
      'switchport trunk native vlan 100',
      'switchport trunk allowed vlan 100-101,200',
      'no shutdown',
      'exit',
    ]);
  });

  it('shut a port without networks, and allow it nothing', () => {
    const commands = commandsFor({ port: 'Ethernet1', native: null, tagged: [] });
    expect(commands).toContain('switchport trunk allowed vlan none');
    expect(commands).toContain('shutdown');
    expect(commands).not.toContain('no shutdown');
  });

  it('give untagged frames nowhere to go where there is no native VLAN, even beside VLAN 1', () => {
    expect(commandsFor({ port: 'Ethernet1', native: null, tagged: [5] })).toContain('switchport trunk native vlan 1');
    expect(commandsFor({ port: 'Ethernet1', native: null, tagged: [1, 2] })).toContain(
      'switchport trunk native vlan 3',
    );
  });
});

describe('an Arista switch', () => {
  let device: LabHttpSwitch;
  const sessions: SwitchSession[] = [];
  const open = async (fields = {}): Promise<SwitchSession> => {
    const session = await openTo(aristaEapi, device, fields);
    sessions.push(session);
    return session;
  };

  beforeAll(async () => {
    device = await startArista();
  });
  afterEach(async () => {
    device.breakLine(null);
    await Promise.all(sessions.splice(0).map((session) => session.close()));
  });
  afterAll(() => device.stop());

  it('changes all ports of a pass at one stroke, in one request', async () => {
    const session = await open();
    await session.apply([{ port: 'Ethernet1/1', native: 100, tagged: [101] }], amply());
    const moments = await setAndWatch(session, device, { port: 'Ethernet1/1', native: 200, tagged: [100] });
    expect(moments).toEqual([{ native: 200, tagged: [100] }]);
    expect(device.asked()).toHaveLength(1);
  });

  it('leaves no session behind when it refuses something, however often', async () => {
    const session = await open();
    for (let time = 0; time < 8; time++) {
      const outcomes = await session.apply(
        [
          { port: 'Ethernet1/2', native: 1006, tagged: [] },
          { port: 'Ethernet1/3', native: 300, tagged: [] },
        ],
        amply(),
      );
      expect(outcomes).toEqual([
        { port: 'Ethernet1/2', applied: false, reason: expect.stringContaining('internal VLAN') as string },
        { port: 'Ethernet1/3', applied: true },
      ]);
    }
  });

  it('does not fail for a port in a mode that is not ours, and sets it right', async () => {
    await expectOddPortSetRight(await open(), device, 'Ethernet9/1');
  });

  it('is rid of the sessions that a broken line left of ours, and keeps those of others', async () => {
    const line = await HttpLine.open(
      httpTargetFrom(device.fields, { scheme: 'https', ports: { http: 80, https: 443 } }),
    );
    const ours = `corral-${hash('sha256', 'sw').slice(0, 8)}`;
    for (const name of ['ansible_1', `${ours}-1`, `${ours}-2`, `${ours}-3`, `${ours}-4`])
      await runCommands(line, ['enable', `configure session ${name}`, 'vlan 4000'], amply());
    await expect(runCommands(line, ['enable', 'configure session more'], amply())).rejects.toThrow('pending');
    const session = await open();
    expect(await session.apply([{ port: 'Ethernet1/4', native: 400, tagged: [] }], amply())).toEqual([
      { port: 'Ethernet1/4', applied: true },
    ]);
    const [, shown] = await runCommands(line, ['enable', 'show configuration sessions'], amply());
    expect(pendingSessions(shown)).toEqual(['ansible_1']);
    await line.close();
  });

  it('says which commands it did not take, and that is a fault where no port is to blame', async () => {
    const line = await HttpLine.open(
      httpTargetFrom(device.fields, { scheme: 'https', ports: { http: 80, https: 443 } }),
    );
    await expect(runCommands(line, ['enable', 'reload now'], amply())).rejects.toMatchObject({
      index: 1,
      words: "Invalid input (at token 0: 'reload')",
    });
    await line.close();
  });

  it('is believed by the fingerprint of its certificate, and only by that', async () => {
    await open({ fingerprint: String(device.fields['fingerprint']).replaceAll(':', '').toLowerCase() });
    const wrong = open({ fingerprint: '00'.repeat(32) });
    await expect(wrong).rejects.toThrow('not the one that is registered');
  });

  it('is believed when a known authority signed its certificate, and not otherwise', async () => {
    const fields = Object.fromEntries(Object.entries(device.fields).filter(([name]) => name !== 'fingerprint'));
    const session = await aristaEapi.open({ label: 'sw', config: { ...fields, ca: labCertificate } }, amply());
    await session.close();
    await expect(aristaEapi.open({ label: 'sw', config: fields }, amply())).rejects.toThrow('self-signed');
  });

  it('lets nobody in with a wrong password', async () => {
    await expect(open({ password: 'sesame' })).rejects.toThrow('does not let this user in');
  });

  it('is given the password of its privileged mode', async () => {
    const strict = await startArista({ enablePassword: 'enable-me' });
    try {
      await expect(openTo(aristaEapi, strict)).rejects.toThrow('Bad secret');
      const session = await openTo(aristaEapi, strict, { enable_password: 'enable-me' });
      await session.close();
    } finally {
      await strict.stop();
    }
  });
});

describe('the fields of an Arista switch', () => {
  const check = checkOf(aristaEapi.config, inBody);
  const fields = { hostname: 'sw1.example.org', username: 'corral', password: 'secret' };

  it.each([
    {},
    { hostname: '192.0.2.7:8443' },
    { hostname: 'https://sw1.example.org/' },
    { hostname: '[2001:db8::7]:443' },
    { port: 8443, fingerprint: 'ab'.repeat(32), enable_password: '' },
  ])('may be %j', (more) => {
    expect(check({ ...fields, ...more })).toEqual([]);
  });

  it.each([
    { hostname: 'ftp://sw1' },
    { hostname: 'user@sw1' },
    { hostname: 'sw1/command-api' },
    { hostname: 'sw1\r\nX: y' },
    { hostname: '' },
    { port: 0 },
    { fingerprint: 'abc' },
    { ca: 'not a certificate' },
  ])('may not be %j', (more) => {
    expect(check({ ...fields, ...more })).not.toEqual([]);
  });
});
