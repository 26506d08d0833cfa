import { hasPart, type LabHost, startCiscoIos, startOvs, startVde } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eosMacTable, iosMacTable, nxosMacTable, vdeHashTable } from '../../src/drivers/switches/cli/mac-tables.ts';
import type { MacTable } from '../../src/drivers/switches/cli/dialect.ts';
import { aristaNeighbours } from '../../src/drivers/switches/http/arista-neighbours.ts';
import { junosNeighbours } from '../../src/drivers/switches/netconf/junos-neighbours.ts';
import { RpcRefused } from '../../src/drivers/switches/netconf/rpc-error.ts';
import { learnedAddresses } from '../../src/drivers/switches/ovs/ovs-neighbours.ts';
import { ovsSwitch } from '../../src/drivers/switches/ovs/ovs-driver.ts';
import { isRefusal, type Neighbour, type SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { switchDrivers } from '../../src/drivers/switches/switch-drivers.ts';
import { macAddress } from '../../src/schema/mac-address.ts';
import { parseXml } from '../../src/drivers/switches/device-xml.ts';
import { eventually } from '../support/services/world.ts';

const amply = () => AbortSignal.timeout(50_000);

describe('a MAC address', () => {
  it.each([
    '02:00:5E:00:53:01',
    '02-00-5e-00-53-01',
    '0200.5e00.5301',
    '0200-5e00-5301',
    '02005E005301',
    ' 02:00:5e:00:53:01 ',
  ])('is the same when it is written %j', (written) => {
    expect(macAddress(written)).toBe('02:00:5e:00:53:01');
  });

  it.each([
    '',
    '02:00:5e:00:53',
    '02:00:5e:00:53:01:02',
    '02:00-5e:00:53:01',
    '0200.5e00',
    'de:ad:be:ef:00:0g',
    'eth0',
  ])('is not %j', (written) => {
    expect(macAddress(written)).toBeNull();
  });
});

/** Tables as other models and releases print them. */
const tables: readonly [name: string, table: MacTable, text: string, expected: readonly Neighbour[]][] = [
  [
    'a Catalyst 6500',
    iosMacTable,
    `Legend: * - primary entry
        age - seconds since last seen
        n/a - not available

  vlan   mac address     type    learn     age              ports
------+----------------+--------+-----+----------+--------------------------
*  100  0200.5e00.5301   dynamic  Yes          5   Gi1/1
*  ---  0000.0000.0000    static  No           -   Router
*  200  0200.5e00.5302   dynamic  Yes        120   Te5/4
*  200  3333.0000.000d    static  Yes          -   Te5/4,Po10,Router,Switch
`,
    [
      { port: 'Gi1/1', mac: '02:00:5e:00:53:01', vlan: 100 },
      { port: 'Te5/4', mac: '02:00:5e:00:53:02', vlan: 200 },
    ],
  ],
  [
    'a Catalyst 4500',
    iosMacTable,
    `Unicast Entries
 vlan   mac address     type        protocols               port
-------+---------------+--------+---------------------+--------------------
   1    0200.5e00.5301   dynamic ip,ipx,assigned,other  FastEthernet6/15
   1    0200.5e00.5302    static ip,ipx,assigned,other  Switch

Multicast Entries
 vlan    mac address     type    ports
-------+---------------+-------+--------------------------------------------
   1    ffff.ffff.ffff   system Gi6/13,Gi6/14,Gi6/15,Gi6/16,Gi6/17,Gi6/18,
                                Gi6/19,Gi6/20,Switch
`,
    [{ port: 'FastEthernet6/15', mac: '02:00:5e:00:53:01', vlan: 1 }],
  ],
  [
    'a Catalyst that has learned nothing',
    iosMacTable,
    '          Mac Address Table\n-------------------------------------------\n\nVlan    Mac Address       Type        Ports\n----    -----------       --------    -----\nTotal Mac Addresses for this criterion: 0\n',
    [],
  ],
  [
    'a Catalyst whose log speaks between two rows',
    iosMacTable,
    `Vlan    Mac Address       Type        Ports
----    -----------       --------    -----
   1    0200.5e00.5301    DYNAMIC     Gi1/0/1
*Nov 18 05:00:01.123: %LINK-3-UPDOWN: Interface GigabitEthernet1/0/7, changed state to up
   1    0200.5e00.5302    DYNAMIC     Gi1/0/2
Total Mac Addresses for this criterion: 2
`,
    [
      { port: 'Gi1/0/1', mac: '02:00:5e:00:53:01', vlan: 1 },
      { port: 'Gi1/0/2', mac: '02:00:5e:00:53:02', vlan: 1 },
    ],
  ],
  [
    'a Nexus 5000',
    nxosMacTable,
    `Legend:
        * - primary entry, G - Gateway MAC, (R) - Routed MAC, O - Overlay MAC
        age - seconds since last seen,+ - primary entry using vPC Peer-Link
   VLAN     MAC Address      Type      age     Secure NTFY   Ports/SWID.SSID.LID
---------+-----------------+--------+---------+------+----+------------------
* 10       0200.5e00.5301    dynamic   980        F    F  Eth1/17
* 10       0200.5e00.5302    dynamic   0          F    F  Po3
+ 10       0200.5e00.5303    dynamic   10         F    F  Po1
`,
    [
      { port: 'Eth1/17', mac: '02:00:5e:00:53:01', vlan: 10 },
      { port: 'Po3', mac: '02:00:5e:00:53:02', vlan: 10 },
      { port: 'Po1', mac: '02:00:5e:00:53:03', vlan: 10 },
    ],
  ],
  [
    'an Arista with addresses that never moved',
    eosMacTable,
    `          Mac Address Table
------------------------------------------------------------------

Vlan    Mac Address       Type        Ports      Moves   Last Move
----    -----------       ----        -----      -----   ---------
 100    0200.5e00.5301    DYNAMIC     Et49/1     1       22 days, 0:09:40 ago
4094    0200.5e00.5302    STATIC      Po1
Total Mac Addresses for this criterion: 2

          Multicast Mac Address Table
------------------------------------------------------------------

Vlan    Mac Address       Type        Ports
----    -----------       ----        -----
Total Mac Addresses for this criterion: 0
`,
    [{ port: 'Et49/1', mac: '02:00:5e:00:53:01', vlan: 100 }],
  ],
];

describe('a table of learned addresses', () => {
  it.each(tables)('of %s is understood', (_, table, text, expected) => {
    expect(table.parse(text)).toEqual(expected);
  });

  it.each([
    ['cisco-ios', iosMacTable],
    ['cisco-nxos', nxosMacTable],
    ['arista-eos', eosMacTable],
    ['vde', vdeHashTable],
  ])('of %s is no table without its heading, or when it is empty', (_, table) => {
    expect(() => table.parse('')).toThrow('in the middle of its answer');
    expect(() => table.parse('Hello\n')).toThrow('in the middle of its answer');
    expect(() => table.parse('   1    0200.5e00.5301    DYNAMIC     Gi1/0/1\n')).toThrow('in the middle of its answer');
  });

  it('with a row that something was written into is not used: an address would be missing', () => {
    for (const [, table, text, expected] of tables) {
      const first = expected[0];
      if (first === undefined) continue;
      const row = text.split('\n').find((line) => line.includes(first.port)) ?? '';
      const broken = text.replace(row, `${row.slice(0, 14)}%SYS-5-CONFIG_I: Configured from console`);
      expect(() => table.parse(broken)).toThrow('in the middle of its answer');
    }
  });

  it('of eAPI has to be one', () => {
    const entry = { macAddress: '0200.5e00.5301', interface: 'Ethernet3', entryType: 'dynamic', vlanId: 7 };
    expect(aristaNeighbours({ unicastTable: { tableEntries: [entry] } })).toEqual([
      { port: 'Ethernet3', mac: '02:00:5e:00:53:01', vlan: 7 },
    ]);
    for (const bad of [null, {}, { unicastTable: {} }, { unicastTable: { tableEntries: [{}] } }])
      expect(() => aristaNeighbours(bad)).toThrow('the switch shows its table of addresses as');
    expect(() => aristaNeighbours({ unicastTable: { tableEntries: [{ ...entry, macAddress: 'x' }] } })).toThrow('"x"');
  });

  it('of Open vSwitch has OpenFlow numbers, and names for those that the bridge has', () => {
    const ports = new Map([[3, 'p3']]);
    const table = ` port  VLAN  MAC                Age
    3     0  02:00:5e:00:53:01    2
LOCAL   100  02:00:5e:00:53:02  299
    9     0  02:00:5e:00:53:03    0
    3     0  02:00:5e:00:53:04  static
`;
    expect(learnedAddresses(table, ports)).toEqual([
      { port: 'p3', mac: '02:00:5e:00:53:01', vlan: null },
      { port: 'LOCAL', mac: '02:00:5e:00:53:02', vlan: 100 },
      { port: '9', mac: '02:00:5e:00:53:03', vlan: null },
    ]);
    expect(() => learnedAddresses('', ports)).toThrow('shows its table of addresses as ""');
    expect(() => learnedAddresses(`${table}  3  0  02:00\n`, ports)).toThrow('"3 0 02:00"');
  });
});

describe('a Junos switch', () => {
  const answering = (reply: string) => ({
    ended: false,
    rpc: () => Promise.resolve(parseXml(`<rpc-reply>${reply}</rpc-reply>`)),
    close: () => Promise.resolve(),
  });

  it('with the software before the enhanced one has another table', async () => {
    const older = `<ethernet-switching-table-information><ethernet-switching-table style="brief">
<mac-table-count>3</mac-table-count>
<mac-table-entry><mac-vlan>v100</mac-vlan><mac-address>*</mac-address><mac-type>Flood</mac-type><mac-age>-</mac-age>
<mac-interfaces-list><mac-interfaces>All-members</mac-interfaces></mac-interfaces-list></mac-table-entry>
<mac-table-entry><mac-vlan>v100</mac-vlan><mac-address>02:00:5e:00:53:01</mac-address><mac-type>Learn</mac-type>
<mac-age>0</mac-age><mac-interfaces-list><mac-interfaces>ge-0/0/7.0</mac-interfaces></mac-interfaces-list></mac-table-entry>
<mac-table-entry><mac-vlan>v100</mac-vlan><mac-address>02:00:5e:00:53:ff</mac-address><mac-type>Static</mac-type>
<mac-age>-</mac-age><mac-interfaces-list><mac-interfaces>Router</mac-interfaces></mac-interfaces-list></mac-table-entry>
</ethernet-switching-table></ethernet-switching-table-information>`;
    expect(await junosNeighbours(answering(older), amply())).toEqual([
      { port: 'ge-0/0/7', mac: '02:00:5e:00:53:01', vlan: null },
    ]);
  });

  it('that has learned nothing has an empty table, and an answer without a table is none', async () => {
    expect(await junosNeighbours(answering('<l2ng-l2ald-rtb-macdb/>'), amply())).toEqual([]);
    await expect(junosNeighbours(answering('<ok/>'), amply())).rejects.toThrow('<ok> instead of its table');
    const headless =
      '<l2ng-l2ald-rtb-macdb><l2ng-l2ald-mac-entry-vlan><l2ng-mac-entry><l2ng-l2-mac-flags>D</l2ng-l2-mac-flags></l2ng-mac-entry></l2ng-l2ald-mac-entry-vlan></l2ng-l2ald-rtb-macdb>';
    await expect(junosNeighbours(answering(headless), amply())).rejects.toThrow('shows an address as');
  });

  it('that has no such table says why', async () => {
    const refusing = {
      ...answering(''),
      rpc: () =>
        Promise.reject(
          new RpcRefused('get-ethernet-switching-table-information', [
            { severity: 'error', tag: 'operation-failed', message: 'permission denied', path: '', badElement: '' },
          ]),
        ),
    };
    expect(await junosNeighbours(refusing, amply())).toEqual({
      refused: 'the switch does not show its table of addresses: permission denied',
    });
  });
});

describe('a switch on the command line', () => {
  it('is asked in the old way when it does not know the new one, and says why if it knows neither', async () => {
    const device = await startCiscoIos();
    onTestFinished(() => device.stop());
    const driver = switchDrivers({ simulatedSwitches: 'nowhere' })['cisco-ios'];
    const session = await driver?.openDry?.({ label: 'sw', config: device.fields }, () => undefined, amply());
    onTestFinished(() => session?.close());
    const words = "% Invalid input detected at '^' marker.";
    device.refuse(/^show mac address-table/, words);
    expect(await session?.neighbours?.(amply())).toEqual({
      refused: `the switch answers "show mac address-table" with: ${words}`,
    });
    expect(device.received?.().slice(-2)).toEqual(['show mac address-table', 'show mac-address-table']);
  });
});

/** Sends from a host until the switch has learned its address. */
const seenAt = (session: SwitchSession, host: LabHost): Promise<readonly string[]> =>
  eventually(async () => {
    await host.send({ marker: 'here', tags: 'untagged' });
    const seen = await session.neighbours?.(amply());
    if (seen === undefined || isRefusal(seen)) throw new Error(`it does not tell: ${seen?.refused}`);
    const places = seen.filter(({ mac }) => mac === host.mac).map(({ port }) => port);
    return places.length === 0 ? undefined : places;
  });

describe.runIf(hasPart('Open vSwitch'))('a real Open vSwitch', () => {
  it('tells behind which port an address is, in the VLAN of the port', async () => {
    const ovs = await startOvs({ hosts: 2, emptyPorts: 3 });
    onTestFinished(() => ovs.stop());
    await ovs.tamper('p0', { native: 100, tagged: [] });
    const config = { ovs_bridge: ovs.bridge, ovsdb: `unix:${ovs.socket}`, unixctl: ovs.control };
    const session = await ovsSwitch.openDry?.({ label: 'sw', config }, () => undefined, amply());
    if (!session) throw new Error('it cannot be asked');
    onTestFinished(() => session.close());
    for (const host of ovs.hosts) expect(await seenAt(session, host)).toEqual([host.port]);
    expect(await session.neighbours?.(amply())).toContainEqual({ port: 'p0', mac: ovs.hosts[0]?.mac, vlan: 100 });
  });

  it('whose control socket is elsewhere, unknown or gone says so', async () => {
    const ovs = await startOvs();
    onTestFinished(() => ovs.stop());
    const asked = async (fields: Record<string, unknown>) => {
      const config = { ovs_bridge: ovs.bridge, ...fields };
      const session = await ovsSwitch.openDry?.({ label: 'sw', config }, () => undefined, amply());
      onTestFinished(() => session?.close());
      return session?.neighbours?.(amply());
    };
    expect(await asked({ ovsdb: ovs.fields['ovsdb'] })).toEqual({
      refused: expect.stringContaining('only ovs-vswitchd tells, on its own machine') as string,
    });
    expect(await asked({ ovsdb: `unix:${ovs.socket}` })).toEqual({
      refused: expect.stringMatching(/ovs-vswitchd\.pid does not name the control socket.*set "unixctl"/) as string,
    });
    await expect(asked({ ovsdb: `unix:${ovs.socket}`, unixctl: `${ovs.control}.gone` })).rejects.toThrow(
      'cannot be asked',
    );
  });
});

describe.runIf(hasPart('vde_switch'))('a real vde_switch', () => {
  it('tells behind which port an address is', async () => {
    const vde = await startVde({ hosts: 2, ports: 4 });
    onTestFinished(() => vde.stop());
    const driver = switchDrivers({ simulatedSwitches: 'nowhere' })['vde'];
    const session = await driver?.openDry?.({ label: 'sw', config: vde.fields }, () => undefined, amply());
    if (!session) throw new Error('it cannot be asked');
    onTestFinished(() => session.close());
    for (const host of vde.hosts) expect(await seenAt(session, host)).toEqual([host.port]);
  });
});
