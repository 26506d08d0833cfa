import { type LabJunos, type LabJunosOptions, startJunosSwitch } from '@corral/lab';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { junosSwitch } from '../../src/drivers/switches/netconf/junos.ts';
import { viewOf } from '../../src/drivers/switches/netconf/junos-config.ts';
import { parseXml } from '../../src/drivers/switches/device-xml.ts';
import { amply } from '../support/switches/http-switches.ts';
import {
  expectFreed,
  expectUnclearPort,
  isNarrower,
  readingOr,
  unclearReading,
} from '../support/switches/port-readings.ts';
import { effort, seed } from '../support/vitest/seed.ts';

/* What Juniper's manuals let an operator put on a port, and that none of it reads as less than it may carry. */

const port = 'ge-0/0/1';
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const start = async (options: LabJunosOptions = {}): Promise<LabJunos> => {
  const device = await startJunosSwitch(options);
  stops.push(() => device.stop());
  return device;
};
const open = async (device: LabJunos): Promise<SwitchSession> => {
  const session = await junosSwitch.open({ label: 'sw', config: device.fields }, amply());
  stops.push(() => session.close());
  return session;
};

const family = (inside: string) => `<family><ethernet-switching>${inside}</ethernet-switching></family>`;
const access = (vlan = 'servers', more = '') =>
  family(`<interface-mode>access</interface-mode><vlan><members>${vlan}</members></vlan>${more}`);
const trunk = (vlan: string, more = '') =>
  family(`<interface-mode>trunk</interface-mode><vlan><members>${vlan}</members></vlan>${more}`);
const onPort = (inside: string, unit = access()) =>
  `<interface><name>${port}</name>${inside}<unit><name>0</name>${unit}</unit></interface>`;
const vlans = `<vlans><vlan><name>servers</name><vlan-id>200</vlan-id></vlan><vlan><name>red</name><vlan-id>300</vlan-id></vlan>`;
const configuration = (interfaces: string, inVlans = '', rest = '') =>
  parseXml(`<configuration><interfaces>${interfaces}</interfaces>${vlans}${inVlans}</vlans>${rest}</configuration>`);
const stateWith = (...given: Parameters<typeof configuration>) => viewOf(configuration(...given)).stateOf(port);

describe('a Junos port reads as one that carries everything', () => {
  it.each<[string, string, string, string?, string?]>([
    [
      'in a bundle',
      'ether-options ieee-802.3ad bundle ae0',
      `<interface><name>${port}</name><ether-options><ieee-802.3ad><bundle>ae0</bundle></ieee-802.3ad></ether-options></interface>`,
    ],
    [
      'in a bundle of another kind of port',
      'gigether-options ieee-802.3ad bundle ae0',
      `<interface><name>${port}</name><gigether-options><ieee-802.3ad><bundle>ae0</bundle></ieee-802.3ad></gigether-options></interface>`,
    ],
    [
      'with a bridged unit that a VLAN lists',
      'vlans red interface ge-0/0/1.7',
      `<interface><name>${port}</name><flexible-vlan-tagging/><encapsulation>flexible-ethernet-services</encapsulation><unit><name>7</name><encapsulation>vlan-bridge</encapsulation><vlan-id>77</vlan-id></unit></interface>`,
      `<vlan><name>red</name><vlan-id>300</vlan-id><interface><name>${port}.7</name></interface></vlan>`,
    ],
    [
      'with a unit of two tags',
      'unit 5 vlan-tags outer 100 inner 200',
      `<interface><name>${port}</name><unit><name>5</name><vlan-tags><outer>100</outer><inner>200</inner></vlan-tags></unit></interface>`,
    ],
    [
      'with a unit 0 of ethernet-bridge',
      'unit 0 encapsulation ethernet-bridge',
      onPort('', '<encapsulation>ethernet-bridge</encapsulation>'),
    ],
    ['with flexible tags', 'flexible-vlan-tagging', onPort('<flexible-vlan-tagging/>', trunk('red'))],
    [
      'that routes',
      'family inet',
      onPort('', '<family><inet><address><name>192.0.2.1/24</name></address></inet></family>'),
    ],
    ['with a macro', 'apply-macro', onPort('<apply-macro><name>tenant</name></apply-macro>')],
    ['with a group that is not expanded', 'apply-groups all-vlans', onPort('<apply-groups>all-vlans</apply-groups>')],
    [
      'with a range that is not expanded',
      'interface-range uplinks',
      `${onPort('')}<interface-range><name>uplinks</name><member><name>${port}</name></member></interface-range>`,
    ],
    [
      'with a filter, which may choose VLANs',
      'unit 0 family ethernet-switching filter input to-red',
      onPort('', access('servers', '<filter><input>to-red</input></filter>')),
    ],
    [
      'with a native VLAN inside the family',
      'native-vlan-id 300',
      onPort('', trunk('servers', '<native-vlan-id>300</native-vlan-id>')),
    ],
    [
      'with the mode of older software',
      'port-mode trunk',
      onPort('', family('<port-mode>trunk</port-mode><vlan><members>red</members></vlan>')),
    ],
    [
      'with two access VLANs',
      'vlan members servers red',
      onPort('', family('<vlan><members>servers</members><members>red</members></vlan>')),
    ],
    [
      'with tags rewritten',
      'vlan-rewrite',
      onPort(
        '',
        trunk(
          'servers',
          '<vlan-rewrite><translate><from-vlan-id>9</from-vlan-id><to-vlan-id>300</to-vlan-id></translate></vlan-rewrite>',
        ),
      ),
    ],
    ['in a VLAN without an id', 'vlans odd has no vlan-id', onPort('', access('odd')), '<vlan><name>odd</name></vlan>'],
    [
      'in a VLAN of no id',
      'vlans odd vlan-id none',
      onPort('', access('odd')),
      '<vlan><name>odd</name><vlan-id>none</vlan-id></vlan>',
    ],
    [
      'in a range of VLANs',
      'vlans odd vlan-range 300-310',
      onPort('', access('odd')),
      '<vlan><name>odd</name><vlan-range>300-310</vlan-range></vlan>',
    ],
    [
      'in a tunnel',
      'vlans odd dot1q-tunneling',
      onPort('', access('odd')),
      '<vlan><name>odd</name><vlan-id>5</vlan-id><dot1q-tunneling/></vlan>',
    ],
    [
      'in a tunnel that is meant by its id',
      'vlans odd dot1q-tunneling',
      onPort('', access('5')),
      '<vlan><name>odd</name><vlan-id>5</vlan-id><dot1q-tunneling/></vlan>',
    ],
    [
      'in a private VLAN',
      'vlans odd isolated-vlan red',
      onPort('', access('odd')),
      '<vlan><name>odd</name><vlan-id>5</vlan-id><isolated-vlan>red</isolated-vlan></vlan>',
    ],
    [
      'with voice',
      `switch-options voip interface ${port}.0 vlan red`,
      onPort(''),
      '',
      `<switch-options><voip><interface><name>${port}.0</name><vlan>red</vlan></interface></voip></switch-options>`,
    ],
    [
      'with voice on all access ports',
      'access-ports',
      onPort(''),
      '',
      '<switch-options><voip><interface><name>access-ports</name><vlan>red</vlan></interface></voip></switch-options>',
    ],
    [
      'with 802.1X',
      'protocols dot1x authenticator interface ge-0/0/1.0',
      onPort(''),
      '',
      `<protocols><dot1x><authenticator><interface><name>${port}.0</name><guest-vlan>red</guest-vlan></interface></authenticator></dot1x></protocols>`,
    ],
    [
      'with 802.1X for all',
      'protocols dot1x authenticator interface all',
      onPort(''),
      '',
      '<protocols><dot1x><authenticator><interface><name>all</name></interface></authenticator></dot1x></protocols>',
    ],
    [
      'with VLANs that others register',
      'protocols mvrp interface',
      onPort(''),
      '',
      `<protocols><mvrp><interface><name>${port}</name></interface></mvrp></protocols>`,
    ],
    [
      'that an analyzer sends copies to',
      'forwarding-options analyzer output interface',
      onPort(''),
      '',
      `<forwarding-options><analyzer><name>a</name><output><interface>${port}.0</interface></output></analyzer></forwarding-options>`,
    ],
    [
      'of a bridge domain',
      'bridge-domains domain interface',
      onPort(''),
      '',
      `<bridge-domains><domain><name>d</name><interface><name>${port}.0</name></interface></domain></bridge-domains>`,
    ],
    [
      'of an instance',
      'routing-instances instance interface',
      onPort(''),
      '',
      `<routing-instances><instance><name>v</name><interface><name>${port}.0</name></interface></instance></routing-instances>`,
    ],
    [
      'with a voice VLAN of older software',
      'ethernet-switching-options voip',
      onPort(''),
      '',
      `<ethernet-switching-options><voip><interface><name>${port}.0</name></interface></voip></ethernet-switching-options>`,
    ],
  ])('%s', (_, words, interfaces, inVlans = '', rest = '') => {
    expect(stateWith(interfaces, inVlans, rest)).toEqual(unclearReading(port, words));
  });
});

describe('a Junos port reads as what it says', () => {
  it('with what has nothing to do with VLANs, and with what is deactivated', () => {
    const more = `<protocols><lldp><interface><name>all</name></interface></lldp><rstp><interface><name>${port}</name></interface></rstp>
      <dot1x inactive="inactive"><authenticator><interface><name>all</name></interface></authenticator></dot1x></protocols>
      <forwarding-options><analyzer><name>a</name><input><ingress><interface><name>${port}.0</name></interface></ingress></input>
      <output><interface><name>ge-0/0/9.0</name></interface></output></analyzer></forwarding-options>
      <switch-options><interface><name>${port}.0</name><interface-mac-limit>3</interface-mac-limit></interface></switch-options>`;
    const own =
      '<description>rack 7</description><mtu>9216</mtu><apply-macro inactive="inactive"><name>x</name></apply-macro>';
    expect(stateWith(onPort(own, trunk('red')), '', more)).toEqual({ port, native: null, tagged: [300] });
  });

  it('when it is disabled, and not when that is deactivated', () => {
    expect(stateWith(onPort('<disable/>'))).toEqual({ port, native: null, tagged: [] });
    expect(stateWith(onPort('<disable inactive="inactive"/>'))).toEqual({ port, native: 200, tagged: [] });
  });

  it('and never gets narrower by a statement that nobody knows, wherever it stands', () => {
    const shapes = [
      onPort(''),
      onPort('<native-vlan-id>300</native-vlan-id>', trunk('servers')),
      onPort('', family('')),
    ];
    const known = ['disable', 'inactive', 'interface-mode', 'members', 'name', 'unit', 'vlan-id'];
    const name = fc.oneof(
      fc.constantFrom('ieee-802.3ad', 'vlan-tags', 'encapsulation', 'apply-macro', 'voip', 'filter', 'vlan-range'),
      fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/).filter((each) => !known.includes(each)),
    );
    const element = fc.letrec<{ element: string }>((tie) => ({
      element: fc
        .tuple(
          name,
          fc.oneof(
            { maxDepth: 2 },
            fc.constantFrom('', 'x', '300', `${port}.0`, `<name>${port}.0</name>`),
            fc.array(tie('element'), { maxLength: 2 }).map((inner) => inner.join('')),
          ),
        )
        .map(([tag, content]) => `<${tag}>${content}</${tag}>`),
    })).element;
    fc.assert(
      fc.property(fc.constantFrom(...shapes), element, fc.nat(), (shape, inserted, at) => {
        const text = `<configuration><interfaces>${shape}</interfaces>${vlans}</vlans></configuration>`;
        const places = [...text.matchAll(/>(?=<)/g)].map(({ index }) => index + 1);
        const place = places[at % places.length] ?? 0;
        const before = viewOf(parseXml(text)).stateOf(port);
        const after = readingOr(() =>
          viewOf(parseXml(text.slice(0, place) + inserted + text.slice(place))).stateOf(port),
        );
        return after === null || !isNarrower(after, before);
      }),
      { seed, numRuns: 2000 * effort },
    );
  });
});

describe('a Junos switch', () => {
  it.each([
    [
      'voice',
      '<switch-options><voip><interface><name>ge-0/0/1.0</name><vlan>servers</vlan></interface></voip></switch-options>',
      'voip interface ge-0/0/1.0 vlan servers',
    ],
    [
      '802.1X',
      '<protocols><dot1x><authenticator><interface><name>all</name><guest-vlan>servers</guest-vlan></interface></authenticator></dot1x></protocols>',
      'dot1x authenticator interface all',
    ],
    [
      'copies of frames',
      '<forwarding-options><analyzer><name>a</name><output><interface><name>ge-0/0/1.0</name></interface></output></analyzer></forwarding-options>',
      'analyzer output interface ge-0/0/1.0',
    ],
  ])(
    'is not trusted with a port with %s: it is not opened, and disabled when it is freed',
    async (_, change, words) => {
      const device = await start();
      device.configure(change);
      await expectUnclearPort(await open(device), device, port, words);
    },
  );

  it('is not trusted with a member of a bundle', async () => {
    const device = await start();
    await device.tamper('ae0', { native: null, tagged: [400, 401] });
    const session = await open(device);
    expect(await device.carried('ge-4/0/47')).toEqual({ native: null, tagged: [400, 401] });
    expect(await session.read(['ge-4/0/47'], amply())).toEqual([
      unclearReading('ge-4/0/47', 'ether-options ieee-802.3ad bundle ae0'),
    ]);
    await expectFreed(session, device, 'ge-4/0/47');
  });

  it('is not trusted with a bridged unit that a VLAN lists, which goes when the port is set', async () => {
    const device = await start();
    device.configure(`<interfaces><interface><name>ge-3/0/0</name><flexible-vlan-tagging/>
      <unit><name>7</name><encapsulation>vlan-bridge</encapsulation><vlan-id>77</vlan-id></unit></interface></interfaces>
      <vlans><vlan><name>servers</name><interface><name>ge-3/0/0.7</name></interface></vlan></vlans>`);
    const session = await open(device);
    expect(await device.carried('ge-3/0/0')).toEqual({ native: null, tagged: [200] });
    expect(await session.read(['ge-3/0/0'], amply())).toEqual([unclearReading('ge-3/0/0', 'unit 7')]);
    const wanted = { port: 'ge-3/0/0', native: 100, tagged: [] };
    expect(await session.apply([wanted], amply())).toEqual([{ port: 'ge-3/0/0', applied: true }]);
    expect(await device.carried('ge-3/0/0')).toEqual({ native: 100, tagged: [] });
    expect(await session.read(['ge-3/0/0'], amply())).toEqual([wanted]);
  });

  it('is written to when a port is freed, however idle it looks', async () => {
    const device = await start();
    const session = await open(device);
    expect(await session.read(['ge-2/0/9'], amply())).toEqual([{ port: 'ge-2/0/9', native: null, tagged: [] }]);
    await expectFreed(session, device, 'ge-2/0/9');
    expect(device.operations).toContain('commit confirmed');
    expect(device.configuration().replaceAll('\n', '')).toContain('<name>ge-2/0/9</name><disable/>');
  });

  it.each<[string, (message: string) => string, RegExp]>([
    ['nothing', (message) => message.replace(/<configuration>[\s\S]*<\/configuration>/, ''), /instead of its config/],
    ['no interfaces', (message) => message.replace(/<interfaces>[\s\S]*<\/interfaces>/, ''), /shows no interfaces/],
  ])('that shows %s of its configuration is asked again, and no port is taken for idle', async (_, garble, reason) => {
    const device = await start({ garble });
    await expect((await open(device)).read([port], amply())).rejects.toThrow(reason);
  });

  it.each([
    ['does not say that it is done', (message: string) => message.replace(/<ok\/>/, '')],
    [
      'commits on one member of its chassis only',
      (message: string) =>
        message.replace(
          '<commit-success/>\n</routing-engine>',
          '<commit-success/>\n</routing-engine><routing-engine><name>fpc1</name></routing-engine>',
        ),
    ],
  ])('that %s has not done it', async (_, garble) => {
    const device = await start({ garble });
    const session = await open(device);
    await expect(session.apply([{ port, native: 100, tagged: [] }], amply())).rejects.toThrow(/does not confirm/);
  });
});
