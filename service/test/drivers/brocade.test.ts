import { type LabBrocade, startBrocade } from '@corral/lab';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isRefusal, type SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { brocade } from '../../src/drivers/switches/http/brocade.ts';
import { brocadePortFrom, passedBy } from '../../src/drivers/switches/http/brocade-port.ts';
import { parseXml } from '../../src/drivers/switches/device-xml.ts';
import { amply, expectOddPortSetRight, foreignVlans, openTo, setAndWatch } from '../support/switches/http-switches.ts';
import {
  expectFreed,
  expectUnclearPort,
  isNarrower,
  readingOr,
  unclearReading,
} from '../support/switches/port-readings.ts';
import { effort, seed } from '../support/vitest/seed.ts';

const portWith = (inside: string) =>
  brocadePortFrom(
    parseXml(
      `<TenGigabitEthernet xmlns="urn:brocade.com:mgmt:brocade-interface" xmlns:y="http://brocade.com/ns/rest" y:self="/x"><name>1/0/5</name>${inside}</TenGigabitEthernet>`,
    ),
  );
const trunk = (inside: string, rest = '<shutdown>false</shutdown>') =>
  `<switchport>true</switchport><switchport y:self="/y"><mode><vlan-mode>trunk</vlan-mode></mode><access y:self="/a"/><trunk>${inside}</trunk></switchport>${rest}`;
const access = (inside: string, more = '') =>
  `<switchport>true</switchport><switchport y:self="/y"><mode><vlan-mode>access</vlan-mode></mode><access y:self="/a">${inside}</access></switchport>${more}<shutdown>false</shutdown>`;
const carriedWith = (inside: string) => {
  const port = portWith(inside);
  return port && passedBy(port);
};

describe('what a Brocade port carries', () => {
  it.each([
    ['the native VLAN, allowed or not', trunk('<native-vlan>10</native-vlan>'), 10, []],
    [
      'the allowed VLANs, with ranges',
      trunk('<allowed><vlan><all>false</all><add>4-6,10,20</add></vlan></allowed><native-vlan>10</native-vlan>'),
      10,
      [4, 5, 6, 20],
    ],
    ['VLAN 1 where no native VLAN is set', trunk('<allowed><vlan><add>7</add></vlan></allowed>'), 1, [7]],
    [
      'a native VLAN that is tagged',
      trunk(
        '<allowed><vlan><add>7</add></vlan></allowed><tag><native-vlan>true</native-vlan></tag><native-vlan>5</native-vlan>',
      ),
      null,
      [5, 7],
    ],
    [
      'the VLAN of access mode',
      '<switchport><mode><vlan-mode>access</vlan-mode></mode><access><vlan>30</vlan></access></switchport>',
      30,
      [],
    ],
    ['VLAN 1 in access mode without one', access(''), 1, []],
    ['nothing when shut', trunk('<native-vlan>10</native-vlan>', '<shutdown>true</shutdown>'), null, []],
    ['nothing when shut, told by an empty element', trunk('<native-vlan>10</native-vlan>', '<shutdown/>'), null, []],
    ['nothing outside layer 2', '<switchport>false</switchport><shutdown>false</shutdown>', null, []],
  ])('is %s', (_, inside, native, tagged) => {
    expect(carriedWith(inside)).toEqual({ port: '1/0/5', native, tagged });
  });

  it('is everything where all VLANs are allowed, and all but those excepted', () => {
    const all = carriedWith(trunk('<allowed><vlan><all>true</all></vlan></allowed><native-vlan>10</native-vlan>'));
    expect(all).toMatchObject({ native: 10 });
    expect(all?.tagged).toHaveLength(4093);
    const most = carriedWith(trunk('<allowed><vlan><except>100-199</except></vlan></allowed>'));
    expect(most?.tagged).toHaveLength(3993);
    expect(most?.tagged).not.toContain(150);
  });

  it.each([
    '<vlan-mode>trunk-no-default-native</vlan-mode>',
    '<private-vlan><host>true</host></private-vlan>',
    '<private-vlan><trunk><promiscuous>true</promiscuous></trunk></private-vlan>',
  ])('is everything in a foreign mode: %s', (mode) => {
    const inside = trunk('').replace('<vlan-mode>trunk</vlan-mode>', mode);
    expect(carriedWith(inside)).toEqual(unclearReading('1/0/5', 'switchport mode'));
  });

  it.each([
    ['a profile', access('', '<port-profile-port/>'), 'port-profile-port'],
    [
      'a bundle',
      access('', '<channel-group y:self="/c"><port-int>10</port-int><mode>active</mode></channel-group>'),
      'channel-group port-int 10 mode active',
    ],
    [
      'a bundle outside layer 2',
      '<channel-group><port-int>10</port-int></channel-group><switchport>false</switchport>',
      'channel-group',
    ],
    [
      'MAC addresses that are classified',
      access('<vlan>30</vlan><mac><mac-address>0002.0002.0002</mac-address><vlan>40</vlan></mac>'),
      'switchport access mac mac-address 0002.0002.0002 vlan 40',
    ],
    ['MAC groups that are classified', access('<mac-group><vlan>40</vlan></mac-group>'), 'mac-group'],
    ['a VLAN of the fabric', trunk('<allowed><vlan><add>7</add><ctag>80</ctag></vlan></allowed>'), 'ctag 80'],
    ['remote mirroring', trunk('<allowed><rspan-vlan><add>900</add></rspan-vlan></allowed>'), 'rspan-vlan add 900'],
    ['802.1X', access('', '<dot1x><authentication>true</authentication></dot1x>'), 'dot1x authentication true'],
    ['an address', '<ip><address>192.0.2.1/24</address></ip><shutdown>false</shutdown>', 'ip address 192.0.2.1/24'],
    ['OpenFlow', access('', '<openflow><enable/></openflow>'), 'openflow enable'],
    ['a second switchport', access('<vlan>30</vlan>') + trunk('<native-vlan>5</native-vlan>'), 'twice'],
    ['a second VLAN', access('<vlan>30</vlan><vlan>40</vlan>'), 'switchport access vlan 40'],
  ])('is everything with %s', (_, inside, words) => {
    expect(carriedWith(inside)).toEqual(unclearReading('1/0/5', words));
  });

  it.each([
    ['of the port', '<description>x</description>', 'neither switchport nor shutdown'],
    ['of its switchport', '<switchport>true</switchport>', 'mode is not shown'],
    ['of its mode', '<switchport><mode><vlan-mode>access</vlan-mode></mode></switchport>', 'access is not shown'],
    ['of its trunk', trunk(''), 'trunk is not shown'],
  ])('is everything where the device does not show all %s', (_, inside, words) => {
    expect(carriedWith(inside)).toEqual(unclearReading('1/0/5', words));
  });

  it('is what it says with what has nothing to do with VLANs, and with what is not set', () => {
    const inside = access(
      '<vlan>30</vlan>',
      `<description>rack 7</description><mtu>9216</mtu><fabric><isl><enable>true</enable></isl></fabric>
       <port-profile-port>false</port-profile-port><channel-group y:self="/c"/>`,
    );
    expect(carriedWith(inside)).toEqual({ port: '1/0/5', native: 30, tagged: [] });
  });

  it('never gets narrower by an element that nobody knows, wherever it stands', () => {
    const shapes = [
      access('<vlan>30</vlan>'),
      trunk(
        '<allowed><vlan><all>false</all><add>4-6</add></vlan></allowed><tag><native-vlan>false</native-vlan></tag><native-vlan>10</native-vlan>',
      ),
      trunk('<allowed><vlan><except>7</except></vlan></allowed>'),
      '<switchport>false</switchport><shutdown>false</shutdown>',
    ];
    const name = fc.oneof(
      fc.constantFrom('port-profile-port', 'channel-group', 'dot1x', 'mac', 'ctag', 'private-vlan', 'openflow', 'none'),
      fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/).filter((each) => !['shutdown', 'name', 'except'].includes(each)),
    );
    const element = fc.letrec<{ element: string }>((tie) => ({
      element: fc
        .record({
          name,
          self: fc.constantFrom('', '', ' y:self="/z"'),
          content: fc.oneof(
            { maxDepth: 2 },
            fc.constantFrom('', 'true', 'false', '4', 'x y'),
            fc.array(tie('element'), { maxLength: 2 }).map((inner) => inner.join('')),
          ),
        })
        .map((made) => `<${made.name}${made.self}>${made.content}</${made.name}>`),
    })).element;
    fc.assert(
      fc.property(fc.constantFrom(...shapes), element, fc.nat(), (shape, inserted, at) => {
        const places = [0, ...[...shape.matchAll(/>(?=<)/g)].map(({ index }) => index + 1)];
        const place = places[at % places.length] ?? 0;
        const before = carriedWith(shape);
        const after = readingOr(() => carriedWith(shape.slice(0, place) + inserted + shape.slice(place)) ?? undefined);
        return !before || after === null || !isNarrower(after, before);
      }),
      { seed, numRuns: 2000 * effort },
    );
  });

  it('is not guessed: not from a name alone, not from nonsense', () => {
    expect(portWith('')).toBeNull();
    expect(() => carriedWith(trunk('<native-vlan>ten</native-vlan>'))).toThrow('ten');
    expect(() => carriedWith(trunk('<allowed><vlan><add>1-</add></vlan></allowed>'))).toThrow('1-');
  });
});

describe('the Brocade driver', () => {
  it.each(['1/0/5', '101/0/10', '1/5'])('takes the port name %s', (name) => {
    expect(brocade.portName(name)).toBe(name);
  });

  it.each(['5', 'te1/0/5', '1/0/5/6', '1//5', '1/0/5 ', '1/0/%22', ''])('refuses the port name "%s"', (name) => {
    expect(isRefusal(brocade.portName(name))).toBe(true);
  });

  it('wants the native network first, and last', () => {
    const nothing = { native: null, tagged: [] };
    expect(brocade.refuse?.(nothing, { kind: 'connect', channel: 'vlan/100', vlan: 100 })).toHaveProperty('refused');
    expect(brocade.refuse?.(nothing, { kind: 'connect', channel: 'vlan/native', vlan: 100 })).toBeNull();
    const both = { native: 100, tagged: [101] };
    expect(brocade.refuse?.(both, { kind: 'detach', channel: 'vlan/native', vlan: 100 })).toHaveProperty('refused');
    expect(brocade.refuse?.(both, { kind: 'detach', channel: 'vlan/101', vlan: 101 })).toBeNull();
  });
});

describe('a Brocade switch', () => {
  let device: LabBrocade;
  const sessions: SwitchSession[] = [];
  const open = async (fields = {}): Promise<SwitchSession> => {
    const session = await openTo(brocade, device, fields);
    sessions.push(session);
    return session;
  };

  beforeAll(async () => {
    device = await startBrocade();
  });
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close()));
  });
  afterAll(() => device.stop());

  it('is shut until the port has its VLANs, and opened last', async () => {
    const session = await open();
    const moments = await setAndWatch(session, device, { port: '1/0/1', native: 100, tagged: [101, 102] });
    expect(moments.filter(({ native }) => native !== null)).toEqual([{ native: 100, tagged: [101, 102] }]);
    const writes = device.asked().filter(({ method }) => method !== 'GET');
    expect(writes.map(({ method, path, body }) => `${method} ${path.replace(/^.*interface/, '')} ${body}`)).toEqual([
      'POST  <Vlan><name>100</name></Vlan>',
      'POST  <Vlan><name>101</name></Vlan>',
      'POST  <Vlan><name>102</name></Vlan>',
      'POST /TenGigabitEthernet/%221/0/1%22 <switchport></switchport>',
      'PUT /TenGigabitEthernet/%221/0/1%22/switchport/mode <mode><vlan-mode>trunk</vlan-mode></mode>',
      'DELETE /TenGigabitEthernet/%221/0/1%22/switchport/trunk/tag/native-vlan ',
      'PUT /TenGigabitEthernet/%221/0/1%22/switchport/trunk/allowed/vlan <vlan><none>true</none></vlan>',
      'PUT /TenGigabitEthernet/%221/0/1%22/switchport/trunk/native-vlan <native-vlan>100</native-vlan>',
      'PUT /TenGigabitEthernet/%221/0/1%22/switchport/trunk/allowed/vlan <vlan><add>101-102</add></vlan>',
      'DELETE /TenGigabitEthernet/%221/0/1%22/shutdown ',
    ]);
  });

  it('goes on running while networks come and go, and carries nothing foreign on the way', async () => {
    const session = await open();
    const before = { native: 200, tagged: [201, 202] };
    const after = { native: 202, tagged: [200, 203] };
    await session.apply([{ port: '1/0/2', ...before }], amply());
    const moments = await setAndWatch(session, device, { port: '1/0/2', ...after });
    expect(foreignVlans(moments, before, after)).toEqual([]);
    expect(moments.every(({ native }) => native !== null)).toBe(true);
    expect(await device.carried('1/0/2')).toEqual(after);
    expect(device.asked().some(({ path }) => path.endsWith('/shutdown'))).toBe(false);
  });

  it('is written nothing when all is as wanted', async () => {
    const session = await open();
    const state = { port: '1/0/3', native: 300, tagged: [301] };
    await session.apply([state], amply());
    await setAndWatch(session, device, state);
    expect(device.asked().filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('shuts an access port before it makes a trunk of it', async () => {
    const session = await open();
    await device.tamper('1/0/4', { native: 700, tagged: [] });
    const moments = await setAndWatch(session, device, { port: '1/0/4', native: 100, tagged: [] });
    expect(moments).toEqual([
      { native: null, tagged: [] },
      { native: 100, tagged: [] },
    ]);
  });

  it('forgets what an idle port carried', async () => {
    const session = await open();
    await session.apply([{ port: '1/0/5', native: 100, tagged: [101] }], amply());
    await setAndWatch(session, device, { port: '1/0/5', native: null, tagged: [] });
    const bodies = device.asked().map(({ method, path }) => `${method} ${path.split('%22').at(-1) ?? ''}`);
    expect(bodies).toContain('DELETE /switchport/trunk/native-vlan');
    expect(bodies.indexOf('PUT /shutdown')).toBeLessThan(bodies.indexOf('PUT /switchport/trunk/allowed/vlan'));
  });

  it('does not fail for a port in a foreign mode, and corrects it', async () => {
    await expectOddPortSetRight(await open(), device, '1/0/9');
  });

  it.each([
    ['a profile', { inside: 'interface', xml: '<port-profile-port/>', carries: [500] }, 'port-profile-port'],
    [
      'a bundle',
      {
        inside: 'interface',
        xml: '<channel-group y:self="/c"><port-int>10</port-int><mode>active</mode><type>standard</type></channel-group>',
        carries: [501, 502],
      },
      'channel-group port-int 10',
    ],
    [
      'a MAC address that is classified',
      { inside: 'access', xml: '<mac><mac-address>0002.0002.0002</mac-address><vlan>503</vlan></mac>', carries: [503] },
      'switchport access mac',
    ],
  ] as const)('is not opened with %s on its port, and is shut when the port is freed', async (_, extra, words) => {
    const session = await open();
    await device.tamper('1/0/10', { native: 30, tagged: [] });
    device.configure('1/0/10', extra);
    await expectUnclearPort(session, device, '1/0/10', words);
    device.configure('1/0/10');
  });

  it('is not trusted with a port that copies of frames leave by', async () => {
    const session = await open();
    await device.tamper('1/0/11', { native: 30, tagged: [] });
    device.mirrorTo('1/0/11');
    await expectUnclearPort(session, device, '1/0/11', 'monitor session destination 1/0/11');
    device.mirrorTo(null);
  });

  it('shuts a port that is freed, however idle it looks', async () => {
    const session = await open();
    device.asked();
    await expectFreed(session, device, '1/0/12');
    expect(device.asked().map(({ method, path }) => `${method} ${path}`)).toContain(
      'PUT /rest/config/running/interface/TenGigabitEthernet/%221/0/12%22/shutdown',
    );
  });

  it('tells in its own words what it refuses', async () => {
    const session = await open();
    const [outcome] = await session.apply([{ port: '1/0/6', native: 4090, tagged: [] }], amply());
    expect(outcome).toMatchObject({ applied: false, reason: expect.stringContaining('reserved') as string });
  });

  it('is never asked for tagged VLANs without a native one', async () => {
    const session = await open();
    const [outcome] = await session.apply([{ port: '1/0/6', native: null, tagged: [100] }], amply());
    expect(outcome).toMatchObject({ applied: false, reason: expect.stringContaining('native') as string });
  });

  it('rejects a wrong password, and does not reveal it', async () => {
    const failure = open({ password: 'sesame-street' });
    await expect(failure).rejects.toThrow('rejects the login');
    await expect(failure).rejects.not.toThrow('sesame');
  });

  it('must have ports of the kind that is registered', async () => {
    await expect(open({ interface_type: 'FortyGigabitEthernet' })).rejects.toThrow('FortyGigabitEthernet');
  });

  it('is asked port by port where its list tells only names', async () => {
    const older = await startBrocade({ listsNamesOnly: true });
    try {
      await older.tamper('1/0/7', { native: 700, tagged: [701] });
      const session = await openTo(brocade, older);
      const all = await session.readAll?.(amply());
      expect(all).toHaveLength(240);
      expect(all).toContainEqual({ port: '1/0/7', native: 700, tagged: [701] });
      await session.close();
    } finally {
      await older.stop();
    }
  });
});
