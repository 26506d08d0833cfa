import { findAll } from '../../../base/src/xml.ts';
import { redact } from '../../../base/src/secrets/redact.ts';
import { edited, parseXml as parseLibvirt } from '../../../base/src/libvirt/libvirt-xml.ts';
import { aristaEos } from '../../../service/src/drivers/switches/cli/arista-eos.ts';
import { ciscoIos } from '../../../service/src/drivers/switches/cli/cisco-ios.ts';
import { ciscoNxos, nexus } from '../../../service/src/drivers/switches/cli/cisco-nxos.ts';
import { dellOs10 } from '../../../service/src/drivers/switches/cli/dell-os10.ts';
import { delln3000 } from '../../../service/src/drivers/switches/cli/delln3000.ts';
import { powerconnect55xx } from '../../../service/src/drivers/switches/cli/powerconnect55xx.ts';
import { errorIn, objectionTo } from '../../../service/src/drivers/switches/cli/cli-device.ts';
import { OutputBuffer } from '../../../service/src/drivers/switches/cli/output-buffer.ts';
import { shown } from '../../../service/src/drivers/switches/cli/terminal-text.ts';
import { vde } from '../../../service/src/drivers/switches/cli/vde-dialect.ts';
import { configuredFrom, pendingSessions, portsFrom } from '../../../service/src/drivers/switches/http/arista-ports.ts';
import { brocadePortFrom } from '../../../service/src/drivers/switches/http/brocade-port.ts';
import { dellConfigFrom, passedBy } from '../../../service/src/drivers/switches/http/dellnos9-config.ts';
import { documentIn, errorMessageIn } from '../../../service/src/drivers/switches/http/xml-documents.ts';
import { Deframer } from '../../../service/src/drivers/switches/netconf/netconf-framing.ts';
import { viewOf } from '../../../service/src/drivers/switches/netconf/junos-config.ts';
import { rpcErrorsIn } from '../../../service/src/drivers/switches/netconf/rpc-error.ts';
import { JsonStream } from '../../../service/src/drivers/switches/ovs/json-stream.ts';
import { switchDrivers } from '../../../service/src/drivers/switches/switch-drivers.ts';
import { vlansIn } from '../../../service/src/drivers/switches/vlan-lists.ts';
import { oneLine } from '../../../service/src/drivers/switches/device-text.ts';
import { parseElements, parseXml } from '../../../service/src/drivers/switches/device-xml.ts';
import { inPieces, type Parser } from './parser.ts';

const dialects = { aristaEos, ciscoIos, ciscoNxos, nexus, dellOs10, delln3000, powerconnect55xx, vde };
const configLines = [
  'interface Ethernet1\n',
  'interface Ethernet1\n switchport\n switchport mode trunk\n',
  ' switchport trunk allowed vlan all\n',
  ' switchport trunk allowed vlan add 1-4094\n',
  ' switchport access vlan 1\n',
  'Port: Gi1/0/1\n',
  'Name: gi1/0/1\n',
  'gi1/0/1 Up\n',
  'VLAN Membership Mode: Trunk Mode\n',
  'Trunking VLANs Enabled: 1\n',
  '    1,\n',
  '    1-4094\n',
  '  (Inactive)\n',
  'Port 1 untagged_vlan=1 \n',
  'VLAN 1\n -- Port 1 tagged=1 \n',
  '1000 Success\n',
];

const dialectParsers = Object.entries(dialects).flatMap(([name, { read, syntax: console, portName }]): Parser[] => [
  {
    name: `the ports of ${name}`,
    read: (text) => read.parse([text, text], null),
    units: configLines,
    longestOwn: 4 * 1024,
    around: [
      ['', ''],
      ['interface Ethernet1\n switchport mode trunk\n', ''],
      ['Port: Gi1/0/1\nTrunking VLANs Enabled: 1,\n', ''],
      ['Name: gi1/0/1\nTrunking VLANs Enabled: 1,\n', ''],
      ['1000 Success\n', '\n1000 Success\n'],
      ['Port', ''],
    ],
  },
  {
    name: `a prompt of ${name}`,
    read: (text) => [console.prompt, ...console.questions.map(({ asked }) => asked)].map((one) => one.test(text)),
    units: ['(a', '(a)', 'a(', 'a>', 'More: <space>, ', 'Overwrite file '],
    around: [['a', '']],
  },
  {
    name: `a refusal of ${name}`,
    read: (text) => [errorIn(text, console), objectionTo(text, console)],
    units: ['% Invalid\n', 'Invalid ', '% ', ' ^', '%LINK-5-', 'A-', '1000 ', 'ERROR '],
    around: [
      ['', ''],
      ['% ', '\n% Error'],
    ],
  },
  { name: `a port name of ${name}`, read: (text) => portName(text), units: ['1/', 'gi', '0/'], around: [['gi', '']] },
]);

const elements = [
  '<a>',
  '<a/>',
  '<a b="c"/>',
  '<a b="',
  "<a b='",
  '</a>',
  '<![CDATA[',
  '<?',
  '&lt;',
  '<a\n',
  '<a>b</a>',
];
const xmlAround = [
  ['', ''],
  ['<r>', '</r>'],
  ['<r ', '></r>'],
  ['<r>', '<x/></r>'],
] as const;
const framesOf = (framing: 'end-of-message' | 'chunked', size?: number) => (text: string) => {
  const deframer = new Deframer();
  deframer.framing = framing;
  inPieces(
    text,
    (piece) => {
      deframer.push(Buffer.from(piece));
      for (let message = deframer.next(); message !== null; message = deframer.next());
    },
    size,
  );
};
const junos = (vlans: string, interfaces: string): string =>
  `<configuration><vlans>${vlans}</vlans><interfaces>${interfaces}</interfaces></configuration>`;
const vlan = '<vlan><name>v</name><vlan-id>1</vlan-id><interface><name>ge-0/0/1.0</name></interface></vlan>';
const member = '<interface><name>ge-0/0/1</name><unit><name>0</name><family><ethernet-switching><vlan>';
const memberEnd = '</vlan></ethernet-switching></family></unit></interface>';
const os9 = 'Current Configuration ...\n!\n';

const eosPort = 'interface Ethernet1\n   switchport mode trunk\n   switchport trunk native vlan 1\n';
const connected = { Ethernet1: { linkStatus: 'connected' } };
const eosInfo = (begun: string): string =>
  `{"enabled": true, "switchportInfo": {"mode": "trunk", "trunkingNativeVlanId": 1, ${begun}`;

/** What switches answer. */
export const switchParsers: readonly Parser[] = [
  { name: 'a screen', read: shown, units: ['\u001b[1', '\r', 'a\r', '\r\r\n', '\b'] },
  ...[1, 64].map((size): Parser => ({
    name: `what a command line says, in pieces of ${size}`,
    read: (text) => {
      const heard = new OutputBuffer();
      inPieces(
        text,
        (piece) => {
          heard.push(piece);
          return heard.dropThrough('sought') ? '' : heard.last;
        },
        size,
      );
      inPieces(text, (piece) => [heard.push(piece), heard.last], size);
      return heard.text;
    },
    units:
      size === 1
        ? [' interface Ethernet1\n', 'abcdefg']
        : ['\u001b[1', 'a\r', 'a\b', 'abcdefg', ' interface Ethernet1\n'],
    isIndifferent: true,
    longest: size === 1 ? 8 * 1024 : 64 * 1024,
    around: [
      ['', ''],
      ['\n', '\nsw#'],
      ['\nsw#', '\n'],
    ],
  })),
  {
    name: 'a list of VLANs',
    read: vlansIn,
    units: ['1-4094,', '1,', '1 - 2 ,'],
    around: [
      ['', '1'],
      ['1', 'x'],
    ],
  },
  { name: 'what a switch said', read: oneLine },
  {
    name: 'what a device said without secrets',
    read: (text) => redact(text, ['aaaa', '%41%41']),
    units: ['aaa'],
  },
  ...dialectParsers,
  { name: 'XML', read: (text) => findAll({ children: parseElements(text) }, 'x'), units: elements, around: xmlAround },
  {
    name: 'refusals in XML',
    read: (text) => rpcErrorsIn(parseXml(text)),
    units: ['<rpc-error/>', '<rpc-error>'],
    around: xmlAround,
  },
  { name: 'an error in XML', read: errorMessageIn, units: ['<error-message>a</error-message>'], around: xmlAround },
  { name: 'NETCONF', read: framesOf('end-of-message'), units: [']]>', ']]>]]>', ']]>]]'] },
  {
    name: 'NETCONF in chunks',
    read: framesOf('chunked'),
    units: ['\n#1\na', '\n#4000\n', '\n#'],
    around: [['\n#900000\n', '']],
  },
  ...(['end-of-message', 'chunked'] as const).map((framing): Parser => ({
    name: `NETCONF in pieces of one byte, ${framing}`,
    read: framesOf(framing, 1),
    units: [']]>', 'a', '\n#1\na'],
    around: [['\n#900000\n', '']],
    isIndifferent: true,
    longest: 32 * 1024,
  })),
  {
    name: 'the configuration of Junos',
    longestOwn: 8 * 1024,
    read: (text) => viewOf(parseXml(text)).stateOf('ge-0/0/1'),
    units: [vlan, '<vlan/>', '<members>1-4094</members>', '<members>v</members>', '<interface/>'],
    around: [
      [
        junos('', '').split('</vlans>')[0] ?? '',
        `</vlans><interfaces>${member}${memberEnd}</interfaces></configuration>`,
      ],
      [`<configuration><vlans>${vlan}</vlans><interfaces>${member}`, `${memberEnd}</interfaces></configuration>`],
    ],
  },
  {
    name: 'the configuration of OS9',
    longestOwn: 4 * 1024,
    read: (text) => {
      const { ports, defaultVlan } = dellConfigFrom(text, 'TenGigabitEthernet');
      return [...ports.values()].map((port) => passedBy(port, defaultVlan));
    },
    units: [
      'interface Vlan 1\n tagged TenGigabitEthernet 1/1\n',
      ' tagged TenGigabitEthernet 1/1-1/900\n',
      ' 1/1,\n',
      ' 1/1\n',
      '1/1-1/900,',
      'interface TenGigabitEthernet 1/1\n switchport\n',
      ' shutdown\n',
    ],
    around: [
      [os9, ''],
      [`${os9}interface Vlan 7\n tagged TenGigabitEthernet 1/1,\n`, ''],
      [`${os9}interface Vlan 7\n tagged TenGigabitEthernet `, '1/1\n'],
      [os9, 'end\n'],
      [`${os9}interface Vlan 7\n tagged TenGigabitEthernet 1/1\n`, 'end\n'],
      [`${os9}interface Vlan 7\n tagged TenGigabitEthernet 1/1-1/900\n`, 'end\n'],
      [`${os9}interface Vlan 7\n tagged TenGigabitEthernet `, '1/1\nend\n'],
    ],
  },
  {
    name: 'the ports of EOS in JSON',
    read: (text) => {
      const { status, switchports, config, more } = JSON.parse(text) as Record<string, unknown>;
      const configured = configuredFrom([{ output: config ?? eosPort }, { output: more ?? '' }]);
      return [
        portsFrom({ interfaceStatuses: status ?? connected }, { switchports: switchports ?? {} }, configured),
        pendingSessions({ sessions: switchports }),
      ];
    },
    units: [
      '1-4094,',
      '"1": {},',
      '"a",',
      '"Ethernet1": {"linkStatus": "connected"},',
      '"Ethernet1": {"enabled": true, "switchportInfo": {"mode": "trunk", "trunkAllowedVlans": "ALL"}},',
      'interface Ethernet1\\n',
      ' switchport trunk allowed vlan 1-4094\\n',
      'monitor session a destination Ethernet1\\n',
    ],
    longestOwn: 32 * 1024,
    around: [
      ['{"status": {', '"a": 1}}'],
      ['{"switchports": {', '"a": 1}}'],
      [`{"switchports": {"Ethernet1": ${eosInfo('"trunkAllowedVlans": "')}`, '1"}}}}'],
      [`{"switchports": {"Ethernet1": ${eosInfo('"dynamicAllowedVlans": {')}`, '"9": {}}}}}}'],
      [`{"switchports": {"Ethernet1": ${eosInfo('"staticTrunkGroups": [')}`, '"b"]}}}}'],
      ['{"config": "', '"}'],
      ['{"more": "', '"}'],
    ],
  },
  {
    name: 'interfaces of Network OS',
    read: (text) => findAll(documentIn(text), 'TenGigabitEthernet').map(brocadePortFrom),
    units: ['<TenGigabitEthernet><name>1/0/1</name><shutdown/></TenGigabitEthernet>', '<switchport/>', '<a/>'],
    around: [
      ['<r>', '</r>'],
      ['<TenGigabitEthernet><name>1/0/1</name>', '</TenGigabitEthernet>'],
      [
        '<TenGigabitEthernet><name>1/0/1</name><switchport><trunk><allowed><vlan><add>',
        '</add></vlan></allowed></trunk></switchport></TenGigabitEthernet>',
      ],
    ],
  },
  {
    name: 'answers of an OVSDB',
    read: (text) => {
      const stream = new JsonStream();
      inPieces(text, (piece) => stream.push(Buffer.from(piece)));
    },
    units: ['{}', '{"a":[]}', '[[', '"\\"'],
    around: [
      ['', ''],
      ['{"a":"', '"}'],
      ['[', ']'],
    ],
  },
  {
    name: 'answers of an OVSDB in pieces of one byte',
    read: (text) => {
      const stream = new JsonStream();
      inPieces(text, (piece) => stream.push(Buffer.from(piece)), 1);
    },
    units: ['{}', '[[', 'a'],
    around: [['{"a":"', '"}']],
    isIndifferent: true,
    longest: 32 * 1024,
  },
  ...Object.entries(switchDrivers({ simulatedSwitches: '/nonexistent' })).map(([name, driver]): Parser => ({
    name: `a port name of type ${name}`,
    read: (text) => driver.portName(text),
    units: ['1/', 'ge-', '0:', 'ethernet'],
  })),
];

/** What virsh prints. */
export const libvirtParsers: readonly Parser[] = [
  {
    name: 'XML of libvirt',
    read: (text) => {
      const root = parseLibvirt(text);
      const cuts = root.children.map(({ start, end }) => ({ start, end, text: '<b/>' }));
      return [root.text, edited(text, cuts)];
    },
    units: elements,
    around: xmlAround,
  },
  { name: 'text of libvirt', read: parseLibvirt, units: ['&#9;', '&#x', '&amp;', '&amp'], around: xmlAround },
];
