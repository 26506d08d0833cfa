import type { LabAddress } from './lab-switch.ts';

/*
 * How devices tell the addresses that they have learned. Written from captured answers and manuals of the vendors, with
 * what stands beside in their tables: addresses of their own, of groups, of a peer.
 */

/** The answers of a device that has learned these, by command. */
export type AddressAnswers = (learned: readonly LabAddress[]) => Readonly<Record<string, string>>;

const dotted = (mac: string): string => mac.replaceAll(':', '').replaceAll(/.{4}(?!$)/g, '$&.');

/** A Catalyst writes ports in short: `Gi1/0/1`. */
export const iosAddressAnswers: AddressAnswers = (learned) => ({
  'show mac address-table': `          Mac Address Table
-------------------------------------------

Vlan    Mac Address       Type        Ports
----    -----------       --------    -----
 All    0100.0ccc.cccc    STATIC      CPU
 All    0180.c200.0000    STATIC      CPU
 All    ffff.ffff.ffff    STATIC      CPU
${learned
  .map(
    ({ port, mac, vlan }) =>
      `${String(vlan).padStart(4)}    ${dotted(mac)}    DYNAMIC     ${port.replace('GigabitEthernet', 'Gi')}\n`,
  )
  .join('')}   1    0026.9800.0001    DYNAMIC     Po1
 200    0026.9800.00ff    STATIC      Vl200
Total Mac Addresses for this criterion: ${learned.length + 5}
`,
});

/** The address of the switch itself has no VLAN, and the one behind its peer another name of a port. */
export const nxosAddressAnswers: AddressAnswers = (learned) => ({
  'show mac address-table': `Legend:
        * - primary entry, G - Gateway MAC, (R) - Routed MAC, O - Overlay MAC
        age - seconds since last seen,+ - primary entry using vPC Peer-Link,
        (T) - True, (F) - False, C - ControlPlane MAC, ~ - vsan,
        (NA)- Not Applicable
   VLAN     MAC Address      Type      age     Secure NTFY Ports
---------+-----------------+--------+---------+------+----+------------------
${learned
  .map(
    ({ port, mac, vlan }) =>
      `* ${String(vlan).padStart(4)}     ${dotted(mac)}   dynamic  0         F      F    ${port.replace('Ethernet', 'Eth')}\n`,
  )
  .join('')}+   20     0026.9800.0002   dynamic  0         F      F    vPC Peer-Link(R)
C   30     0026.9800.0003   dynamic  NA        F      F    nve1(192.0.2.7)
G    -     0026.9800.00ff   static   -         F      F    sup-eth1(R)
`,
});

export const eosAddressAnswers: AddressAnswers = (learned) => ({
  'show mac address-table': `          Mac Address Table
------------------------------------------------------------------

Vlan    Mac Address       Type        Ports      Moves   Last Move
----    -----------       ----        -----      -----   ---------
${learned
  .map(
    ({ port, mac, vlan }) =>
      `${String(vlan).padStart(4)}    ${dotted(mac)}    DYNAMIC     ${port.replace('Ethernet', 'Et').padEnd(10)} 1       0:02:14 ago\n`,
  )
  .join('')}   1    0026.9800.0001    DYNAMIC     Po1        2       3 days, 4:05:06 ago
 200    0026.9800.00ff    STATIC      Cpu
Total Mac Addresses for this criterion: ${learned.length + 2}

          Multicast Mac Address Table
------------------------------------------------------------------

Vlan    Mac Address       Type        Ports
----    -----------       ----        -----
   1    0100.5e00.0001    STATIC      Et1 Et2
Total Mac Addresses for this criterion: 1
`,
});

/** The same as eAPI answers it. */
export const eapiAddresses = (learned: readonly LabAddress[]): object => ({
  unicastTable: {
    tableEntries: [
      ...learned.map(({ port, mac, vlan }) => ({
        ...{ vlanId: vlan, macAddress: mac, interface: port },
        ...{ entryType: 'dynamic', moves: 1, lastMove: 1_790_000_000.5 },
      })),
      { vlanId: 200, macAddress: '00:26:98:00:00:ff', interface: 'Router', entryType: 'static' },
    ],
  },
  multicastTable: { tableEntries: [] },
  disabledMacLearningVlans: [],
});

/** The enhanced Layer 2 software: a group for each VLAN, ports with their unit. */
export const junosAddresses = (learned: readonly LabAddress[]): string =>
  `<l2ng-l2ald-rtb-macdb>
${learned.map(({ port, mac, vlan }) => junosEntry(`v${vlan}`, vlan, mac, 'D', `${port}.0`)).join('\n')}
${junosEntry('servers', 200, '00:26:98:00:00:01', 'D', 'ae0.0')}
${junosEntry('servers', 200, '00:26:98:00:00:ff', 'S,P', 'irb.0')}
</l2ng-l2ald-rtb-macdb>`;

const junosEntry = (name: string, vlan: number, mac: string, flags: string, port: string): string =>
  `<l2ng-l2ald-mac-entry-vlan junos:style="brief-rtb">
<mac-count-global>3</mac-count-global>
<learnt-mac-count>2</learnt-mac-count>
<l2ng-l2-mac-routing-instance>default-switch</l2ng-l2-mac-routing-instance>
<l2ng-l2-vlan-id>${vlan}</l2ng-l2-vlan-id>
<l2ng-mac-entry>
<l2ng-l2-mac-vlan-name>
${name}
</l2ng-l2-mac-vlan-name>
<l2ng-l2-mac-address>
${mac}
</l2ng-l2-mac-address>
<l2ng-l2-mac-flags>${flags}</l2ng-l2-mac-flags>
<l2ng-l2-mac-age>-</l2ng-l2-mac-age>
<l2ng-l2-mac-logical-interface>
${port}
</l2ng-l2-mac-logical-interface>
<l2ng-l2-mac-fwd-next-hop>0</l2ng-l2-mac-fwd-next-hop>
<l2ng-l2-mac-rtr-id>0</l2ng-l2-mac-rtr-id>
</l2ng-mac-entry>
</l2ng-l2ald-mac-entry-vlan>`;
