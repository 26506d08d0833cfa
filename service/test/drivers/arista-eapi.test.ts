import { hash } from 'node:crypto';
import { type LabArista, labCertificate, startArista } from '@corral/lab';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isRefusal, type SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { aristaEapi } from '../../src/drivers/switches/http/arista-eapi.ts';
import {
  commandsFor,
  configuredFrom,
  pendingSessions,
  portsFrom,
} from '../../src/drivers/switches/http/arista-ports.ts';
import { runCommands } from '../../src/drivers/switches/http/eapi-commands.ts';
import { httpTargetFrom } from '../../src/drivers/switches/http/http-fields.ts';
import { SwitchHttpClient } from '../../src/drivers/switches/http/switch-http-client.ts';
import { checkOf, inBody } from '@corral/base/schema/schema-check';
import { amply, expectOddPortSetRight, openTo, setAndWatch } from '../support/switches/http-switches.ts';
import { expectUnclearPort, isNarrower, readingOr, unclearReading } from '../support/switches/port-readings.ts';
import { effort, seed } from '../support/vitest/seed.ts';

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
  const shown = (info: object, lines: readonly string[], linkStatus = 'connected', enabled = true, mirror = '') =>
    portsFrom(
      { interfaceStatuses: { Ethernet1: { linkStatus }, Management1: { linkStatus: 'connected' } } },
      { switchports: { Ethernet1: { enabled, switchportInfo: info } } },
      configuredFrom([
        { output: ['interface Ethernet1', ...lines.map((line) => `   ${line}`), ''].join('\n') },
        { output: mirror },
      ]),
    ).get('Ethernet1');
  const trunk = { mode: 'trunk', accessVlanId: 1, trunkingNativeVlanId: 10 };
  const access = { mode: 'access', accessVlanId: 30, trunkingNativeVlanId: 1 };
  const allowed = (list: string, native = '10') => [
    `switchport trunk native vlan ${native}`,
    `switchport trunk allowed vlan ${list}`,
    'switchport mode trunk',
  ];
  const on30 = ['switchport access vlan 30'];

  it.each<[string, object, readonly string[], number | null, readonly number[]]>([
    ['an access port', access, on30, 30, []],
    ['a trunk with ranges', { ...trunk, trunkAllowedVlans: '4-6,10,20' }, allowed('4-6,10,20'), 10, [4, 5, 6, 20]],
    ['a trunk whose native VLAN is not allowed', { ...trunk, trunkAllowedVlans: '20' }, allowed('20'), null, [20]],
    ['a trunk for nothing', { ...trunk, trunkAllowedVlans: 'NONE' }, allowed('none'), null, []],
    [
      'a trunk that tags its native VLAN',
      { ...trunk, trunkingNativeVlanId: 0, trunkAllowedVlans: '10' },
      allowed('10', 'tag'),
      null,
      [10],
    ],
    [
      'a trunk that drops untagged frames',
      { ...trunk, dot1qVlanTagRequired: true, trunkAllowedVlans: '10,20' },
      allowed('10,20', 'tag'),
      null,
      [10, 20],
    ],
  ])('is understood for %s', (_, info, lines, native, tagged) => {
    expect(shown(info, lines)).toEqual({ port: 'Ethernet1', native, tagged });
  });

  it('is everything for a trunk out of the box', () => {
    const lines = ['switchport trunk native vlan 10', 'switchport mode trunk'];
    const port = shown({ ...trunk, trunkAllowedVlans: 'ALL' }, lines);
    expect(port).toMatchObject({ native: 10 });
    expect(port?.tagged).toHaveLength(4093);
  });

  it.each<[string, object, readonly string[], string]>([
    ['a mode that is not ours', { mode: 'dot1qTunnel' }, ['switchport mode dot1q-tunnel'], 'dot1q-tunnel'],
    ['a profile', access, [...on30, 'profile storage'], 'profile storage'],
    ['a bundle', access, [...on30, 'channel-group 5 mode active'], 'channel-group 5 mode active'],
    ['a phone', access, [...on30, 'switchport phone vlan 200'], 'switchport phone vlan 200'],
    ['802.1X', access, [...on30, 'dot1x pae authenticator'], 'dot1x pae authenticator'],
    ['VLANs that RADIUS chose', { ...access, dynamicAllowedVlans: { '802.1X': '7' } }, on30, 'dynamicAllowedVlans'],
    ['a group of trunks', { ...access, staticTrunkGroups: ['mlag'] }, on30, 'staticTrunkGroups mlag'],
    ['another VLAN than is configured', { ...access, accessVlanId: 31 }, on30, 'does not pass what is configured'],
  ])('is everything for a port with %s', (_, info, lines, words) => {
    expect(shown(info, lines)).toEqual(unclearReading('Ethernet1', words));
  });

  it('is nothing for a port that is shut, and everything for one that routes', () => {
    const info = { ...trunk, trunkAllowedVlans: 'ALL' };
    expect(shown(info, ['shutdown'], 'disabled')).toEqual({ port: 'Ethernet1', native: null, tagged: [] });
    expect(shown(info, ['shutdown'])).toEqual(unclearReading('Ethernet1', 'the link is not disabled'));
    expect(shown(info, ['no switchport'], 'connected', false)).toEqual(unclearReading('Ethernet1', 'no switchport'));
    const bridged = 'interface Ethernet1\n   no switchport\ninterface Ethernet1.100\n   vlan id 100\n';
    expect(configuredFrom([{ output: bridged }, { output: '' }]).get('Ethernet1')).toMatchObject(
      unclearReading('Ethernet1', 'interface Ethernet1.100'),
    );
    expect(shown(access, on30, 'disabled')).toEqual({ port: 'Ethernet1', native: 30, tagged: [] });
  });

  it('is everything for a port that copies of frames leave by', () => {
    const mirror = 'monitor session one source Ethernet2\nmonitor session one destination Ethernet1\n';
    expect(shown(access, on30, 'connected', true, mirror)).toEqual(unclearReading('Ethernet1', 'monitor session one'));
  });

  it('is not guessed', () => {
    expect(() => shown({ ...trunk, trunkAllowedVlans: 'some' }, allowed('10'))).toThrow('some');
    expect(() => shown({ mode: 'access' }, [])).toThrow('accessVlanId');
    expect(() => shown({}, [])).toThrow('mode');
    expect(() => portsFrom({}, {}, new Map())).toThrow('its ports');
    expect(() => configuredFrom([{ output: 'interface Ethernet1\n' }, {}])).toThrow('as text');
    const cut = 'interface Ethernet1\n%LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet2\n   shutdown\n';
    expect(() => configuredFrom([{ output: cut }, { output: '' }])).toThrow('in the middle');
    const known = { interfaceStatuses: { Ethernet1: { linkStatus: 'connected' } } };
    const port = portsFrom(known, { switchports: {} }, new Map()).get('Ethernet1');
    expect(port).toEqual(unclearReading('Ethernet1', 'not in the running configuration'));
  });

  it('never gets narrower by a line that nobody knows', () => {
    const line = fc.oneof(
      fc.constantFrom('vrf red', 'encapsulation dot1q vlan 5', 'profile x', 'channel-group 1 mode on', 'macro apply y'),
      fc
        .stringMatching(/^[a-z][a-z0-9 -]{0,24}$/)
        .filter((text) => !/^(?:no |default |shutdown|switchport)/.test(text)),
    );
    fc.assert(
      fc.property(line, fc.nat(2), fc.constantFrom('', '   '), (text, at, indent) => {
        const lines = allowed('4-6,10').toSpliced(at, 0, `${indent}${text}`);
        const before = { native: 10, tagged: [4, 5, 6] };
        const after = readingOr(() => shown({ ...trunk, trunkAllowedVlans: '4-6,10' }, lines));
        return after === null || !isNarrower(after, before);
      }),
      { seed, numRuns: 2000 * effort },
    );
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
  let device: LabArista;
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
    // The first question is what is configured.
    expect(device.asked()).toHaveLength(2);
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

  it('does not fail for a port in a foreign mode, and corrects it', async () => {
    await expectOddPortSetRight(await open(), device, 'Ethernet9/1');
  });

  it.each<[string, readonly string[], readonly string[], string]>([
    ['a bundle', ['channel-group 5 mode active'], [], 'channel-group 5 mode active'],
    ['a profile', ['profile storage'], [], 'profile storage'],
    ['copies of frames', [], ['monitor session a destination Ethernet10/1'], 'monitor session a destination'],
  ])('does not open a port with %s, and shuts it when it is freed', async (_, lines, mirrors, words) => {
    const session = await open();
    await device.tamper('Ethernet10/1', { native: 30, tagged: [] });
    device.configure('Ethernet10/1', lines, [500, 501]);
    device.mirror(...mirrors);
    await expectUnclearPort(session, device, 'Ethernet10/1', words);
    device.configure('Ethernet10/1');
    device.mirror();
  });

  it('is rid of the sessions that a broken line left of ours, and keeps those of others', async () => {
    const line = new SwitchHttpClient(
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
    const line = new SwitchHttpClient(
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
    await expect(wrong).rejects.toThrow('which is not the registered one');
  });

  it('is believed when a known authority signed its certificate, and not otherwise', async () => {
    const fields = Object.fromEntries(Object.entries(device.fields).filter(([name]) => name !== 'fingerprint'));
    const session = await aristaEapi.open({ label: 'sw', config: { ...fields, ca: labCertificate } }, amply());
    await session.close();
    await expect(aristaEapi.open({ label: 'sw', config: fields }, amply())).rejects.toThrow('self-signed');
  });

  it('lets nobody in with a wrong password', async () => {
    await expect(open({ password: 'sesame' })).rejects.toThrow('rejects the login');
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
