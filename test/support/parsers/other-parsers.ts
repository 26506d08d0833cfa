import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gatherSettings } from '../../../base/src/config/gather-settings.ts';
import { Frames } from '../../../client/src/follow-events.ts';
import { bearerOf } from '../../../client/src/jwt.ts';
import { nearest } from '../../../client/src/cli/usage-error.ts';
import { printableLines } from '../../../client/src/cli/printable.ts';
import { layOut } from '../../../client/src/cli/table.ts';
import { readDocument } from '../../../client/src/cli/site-document/read-document.ts';
import { VirshError } from '../../../base/src/libvirt/virsh-error.ts';
import { IpmiConsole } from '../../../obmd/src/drivers/ipmi/ipmi-console.ts';
import { faultFrom as ipmiFault } from '../../../obmd/src/drivers/ipmi/ipmi-faults.ts';
import { verbatim } from '../../../obmd/src/drivers/ipmi/escape-input.ts';
import { faultFrom as virshFault } from '../../../obmd/src/drivers/libvirt/libvirt-bmc-faults.ts';
import { addressPattern, parseAddress } from '../../../obmd/src/drivers/mock/mock-address.ts';
import { documentIn } from '../../../obmd/src/drivers/redfish/redfish-documents.ts';
import { pathOn } from '../../../obmd/src/drivers/redfish/redfish-paths.ts';
import { type RedfishTarget } from '../../../obmd/src/drivers/redfish/redfish-target.ts';
import { errorTextOf } from '../../../obmd/src/drivers/redfish/redfish-error-text.ts';
import { Replay } from '../../../obmd/src/core/console-replay.ts';
import { callerFrom } from '../../../service/src/auth/oidc/oidc-claims.ts';
import { descriptionIn, refusalIn, tokenPattern } from '../../../service/src/auth/keystone/keystone-responses.ts';
import { powerStatusIn, reasonIn, tokenIn } from '../../../service/src/drivers/obm/obm-responses.ts';
import { faultFrom as headnodeFault } from '../../../service/src/drivers/hypervisors/libvirt/hypervisor-faults.ts';
import { inPieces, type Parser } from './parser.ts';

const target = { origin: 'http://bmc', user: 'a', pass: 'aaaa' } as RedfishTarget;
const words = [
  'SOL payload ',
  'failed to connect ',
  'Failed to get lock',
  "storage pool '",
  ': Invalid command\n',
  'error: ',
  'Chassis Power is on\n',
];

/** What BMCs, their tools and OBM daemons say. */
export const bmcParsers: readonly Parser[] = [
  { name: 'a complaint of ipmitool', read: (text) => ipmiFault('power', text), units: words },
  { name: 'the power status of ipmitool', read: (text) => /^Chassis Power is (on|off)$/m.exec(text), units: words },
  { name: 'what is typed for ipmitool', read: (text) => verbatim()(Buffer.from(text)), units: ['\n\u001e'] },
  { name: 'a complaint of virsh', read: (text) => virshFault('start', text), units: words },
  {
    name: 'a complaint of virsh about headnodes',
    read: (text) => headnodeFault(new VirshError('failed', 'start', text)),
    units: words,
  },
  { name: 'a Redfish document', read: documentIn, units: ['{"a":'] },
  { name: 'a path of Redfish', read: (text) => pathOn('http://bmc', text), units: ['/..', '/a', '//'] },
  {
    name: 'a complaint of Redfish',
    read: (text) => errorTextOf({ status: 400, text } as Parameters<typeof errorTextOf>[0], target, 'aa'),
    units: ['aaa'],
    around: [['{"error":{"message":"', '"}}']],
  },
  {
    name: 'an address of a mock',
    read: (text) => [new RegExp(addressPattern, 'u').test(text), parseAddress(text)],
    around: [
      ['mock://a?', ''],
      ['mock://', ''],
    ],
    units: ['fail=all&', 'all,', 'fail=all,all&'],
  },
  {
    name: 'what a console said',
    read: (text) => {
      const replay = new Replay(64 * 1024);
      inPieces(text, (piece) => replay.add(Buffer.from(piece)), 1);
      return replay.bytes();
    },
    isIndifferent: true,
    units: ['a'],
  },
  {
    name: 'what ipmitool says before a console, in pieces of one byte',
    read: (text) => {
      const stdout = new PassThrough();
      const tool = Object.assign(new EventEmitter(), { stdout, stdin: new PassThrough() });
      const console = new IpmiConsole(tool as unknown as ChildProcessWithoutNullStreams, () => '', {
        whenLetGo: 1,
        whenTaken: 1,
      });
      inPieces(text, (piece) => stdout.emit('data', Buffer.from(piece)), 1);
      return console.readableLength;
    },
    units: ['a'],
    around: [['[SOL Session operational', '']],
    isIndifferent: true,
    longest: 64 * 1024,
  },
  {
    name: 'an answer of an OBM daemon',
    read: (text) => [tokenIn(text), powerStatusIn(text), reasonIn(text, 'aaaa')],
    units: ['aaa'],
    around: [
      ['{"msg":"', '"}'],
      ['{"power_status":"', '"}'],
      ['{"token":"', '"}'],
    ],
  },
];

const claims = { name: 'name', projects: 'groups', projectsPrefix: '', admin: { claim: 'role', value: 'admin' } };

/** What identity providers say. */
export const identityParsers: readonly Parser[] = [
  { name: 'a Keystone token', read: (text) => tokenPattern.test(text) },
  {
    name: 'a description by Keystone',
    read: (text) => descriptionIn({ status: 200, text } as Parameters<typeof descriptionIn>[0]),
    around: [
      ['{"token":{"roles":[', '{}]}}'],
      ['{"token":"', '"}'],
    ],
    units: ['{"name":"a"},', '{},'],
  },
  {
    name: 'a refusal by Keystone',
    read: (text) => refusalIn({ status: 401, text } as Parameters<typeof refusalIn>[0], ['aaaa']),
    around: [['{"error":{"message":"', '"}}']],
  },
  {
    name: 'claims of an OpenID provider',
    read: (text) =>
      callerFrom({ sub: text.slice(0, 255), name: text, groups: text, role: text.split('') }, 'http://issuer', claims),
    units: ['a '],
  },
  { name: 'a JWT', read: (text) => bearerOf([text], 'here'), units: ['a.', 'a', 'e30'], around: [['a.', '.a']] },
];

/** A configuration file, read as programs do. */
const parseToml = (text: string): unknown => {
  const directory = mkdtempSync(join(tmpdir(), 'corral-toml-'));
  try {
    const file = join(directory, 'corral.toml');
    writeFileSync(file, text);
    return gatherSettings({}, { CORRAL_CONFIG: file }, []);
  } finally {
    rmSync(directory, { recursive: true });
  }
};

const site = 'nodes:\n';
/** What people write, and what the command line is told. */
export const documentParsers: readonly Parser[] = [
  {
    name: 'TOML',
    read: parseToml,
    units: ['a = 1\n', '[a]\n', '[[a]]\n', 'a = [', '"""', 'a = """\n', 'a.', '{a=', 'a = "\\u0041"\n'],
    around: [
      ['a = "', '"'],
      ['a = [', '1]'],
    ],
  },
  {
    name: 'a site document',
    read: readDocument,
    units: ['- a\n', '? a\n', '*a ', '&a ', '[', '{', '- ', '  ', '"a": b\n', '| \n', '%', '!!a ', '  a: {}\n'],
    around: [
      [site, ''],
      ['a: "', '"'],
      ['projects: [', 'a]'],
    ],
    isIndifferent: true,
    longest: 2 * 1024,
  },
  {
    name: 'a site document with many nodes',
    read: (text) =>
      readDocument(
        `nodes:\n${
          text
            .match(/.{1,8}/gs)
            ?.map((_, index) => `  n${index}: {}\n`)
            .join('') ?? ''
        }`,
      ),
    units: ['a'],
    isIndifferent: true,
  },
  {
    name: 'a word that was meant',
    read: (text) => nearest(text, ['projects', 'users', 'nodes']),
    isIndifferent: true,
    units: ['a'],
  },
  { name: 'what is shown on a terminal', read: printableLines },
  {
    name: 'a cell of a table',
    read: (text) => layOut(['a', 'b'], [[text, text]], 80),
    units: ['\u4e2d', 'a\u0301', 'a'],
    isIndifferent: true,
    longest: 4 * 1024,
  },
  {
    name: 'a stream of events',
    read: (text) => {
      const frames = new Frames();
      inPieces(text, (piece) => frames.push(piece), 4);
    },
    units: ['data: a\n', '\n\n', 'data: a\n\n'],
  },
];
