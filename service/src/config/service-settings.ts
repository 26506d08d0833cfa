import { availableParallelism } from 'node:os';
import { databaseUrl } from '@corral/base/config/database-url';
import { logLevels } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import {
  flag,
  list,
  listOf,
  oneOf,
  seconds,
  secondsOrNever,
  text,
  textThat,
  type ValueType,
  whole,
} from '@corral/base/config/value-types';
import type { ListenAddress } from '@corral/obmd/config/obmd-config';
import { listenAddress, obmdSettings } from '@corral/obmd/config/obmd-settings';
import { cleaningSettings } from './cleaning-config.ts';
import { httpSettings } from './http-config.ts';
import { historySettings } from './history-config.ts';
import { deviceLimitSettings } from './device-limit-config.ts';
import { identitySettings } from './identity-config.ts';
import { keystoneSettings } from './keystone-config.ts';
import { oidcSettings } from './oidc-config.ts';
import { outboundSettings } from './outbound-config.ts';
import { mailSettings } from './mail-config.ts';
import { webhookSettings } from './webhook-config.ts';
import { pemFile } from './certificate-authority.ts';
import { roles, type VlanRange } from './service-config.ts';
import { libvirtSettings } from './libvirt-config.ts';

const mostProcesses = 64;
const largestVlan = 4094;
const longestPassword = 1024;

const backends = listOf('at least one backend, such as `database`', (entries, wrong) => {
  if (entries.length === 0) wrong();
  return [...new Set(entries)];
});

const password: ValueType<string> = {
  ...textThat(({ length }) => length > 0 && length <= longestPassword, `1 to ${longestPassword} characters`),
  isSecret: true,
};

const vlanRanges: ValueType<readonly VlanRange[]> = {
  expected: `ids from 1 to ${largestVlan} such as "100-300, 500"`,
  parse: (given, wrong) => {
    const ranges = given.split(',').map((part) => {
      const [, first, last] = /^\s*(\d{1,4})\s*(?:-\s*(\d{1,4})\s*)?$/.exec(part) ?? [];
      return { first: Number(first ?? Number.NaN), last: Number(last ?? first ?? Number.NaN) };
    });
    if (!ranges.every(({ first, last }) => first >= 1 && first <= last && last <= largestVlan)) wrong();
    return ranges;
  },
};

const processCount: ValueType<number> = {
  expected: `a whole number from 1 to ${mostProcesses}, or auto`,
  parse: (given, wrong) =>
    given === 'auto' ? Math.min(mostProcesses, availableParallelism()) : whole(1, mostProcesses).parse(given, wrong),
};

const listenAddressOrOff: ValueType<ListenAddress | 'off'> = {
  expected: '`off`, or HOST:PORT',
  parse: (given, wrong) => (given === 'off' ? given : listenAddress.parse(given, wrong)),
};

/*
 * Every setting once: its name in corral.toml, its environment variable, what it takes. The list is what
 * the loader reads, and what docs/configuration.md is checked against.
 */

export const settings = {
  host: { takes: text, fallback: '127.0.0.1', about: 'Address to listen on.' },
  port: { takes: whole(0, 65_535), fallback: '5000', about: 'Port to listen on; 0 takes a free one.' },
  role: {
    takes: oneOf(...roles),
    fallback: 'all',
    about:
      'What this process does: `api` answers calls, `worker` changes switches and does what falls due, `all` does both. Other roles than `all` need PostgreSQL ([several processes](operator-guide.md#postgresql-and-replicas)). Also `--role` on the command line.',
  },
  processes: {
    takes: processCount,
    fallback: '1',
    about:
      'How many processes serve the port on this machine, 1 to 64; `auto`: as many as it has processors. More than 1 need PostgreSQL ([several processes](operator-guide.md#several-processes-on-one-machine)).',
  },
  ...httpSettings,
  ...deviceLimitSettings,
  data_dir: {
    takes: text,
    fallback: './data',
    about:
      'Where the embedded database, the key file, the first password and what is simulated are kept. Made if it is missing.',
  },
  database_url: {
    takes: databaseUrl,
    about:
      'A path for SQLite, or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. Without it: `corral.db` in the data directory.',
  },
  database_connections: {
    takes: whole(2, 1000),
    fallback: '10',
    about: 'Most connections to PostgreSQL of this process, 2 to 1000; one more listens for announcements.',
  },
  auth: {
    takes: backends,
    fallback: 'database',
    about:
      'Who knows callers: one or more of `database` (users and passwords), `keystone` ([OpenStack](auth/keystone.md)), `oidc` ([an OpenID provider](auth/oidc.md)) and those that [extensions](extensions.md) bring, each for its own kind of credentials. Or `null`: no passwords, everybody is administrator; only on a loopback address.',
  },
  ...keystoneSettings,
  ...oidcSettings,
  ...identitySettings,
  require_authentication: {
    takes: flag,
    fallback: 'false',
    about: '`true` refuses callers without credentials on every call, also those that anybody may make otherwise.',
  },
  admin_password: {
    takes: password,
    about:
      'Password of the user `admin` that the first start makes. Without it one is made, shown once, and kept in `admin-password` in the data directory. Later starts do not look at it.',
  },
  vlans: {
    takes: vlanRanges,
    fallback: '100-1000',
    about:
      'VLAN ids to hand out: ids and ranges within 1 to 4094. A pool that no longer holds the id of a network in use is a start-up error.',
  },
  'maintenance.project': {
    takes: text,
    about: 'Project that nodes go to when they leave another; made if it is missing. Needs `maintenance.url`.',
  },
  'maintenance.url': {
    takes: text,
    about: 'URL that is notified of such a node, by `POST {"node": "<label>"}`. Needs `maintenance.project`.',
  },
  'nodes.class_key': {
    takes: textThat(({ length }) => length > 0 && length <= 255, '1 to 255 characters'),
    fallback: 'class',
    about:
      'Metadata key whose value (text) says of what class a node is: [quotas](operator-guide.md#quotas) can limit nodes of a class, and [usage](operator-guide.md#usage) is added up by class. The same for every process of a service.',
  },
  ...cleaningSettings,
  key_file: {
    takes: text,
    about:
      'Keys for secrets at rest: 32 bytes in base64 a line; the first seals, all open ([rotate](operator-guide.md#rotate-the-key)). Without it: `secret.key` in the data directory. Made on first start if it is not there.',
  },
  hypervisor: {
    takes: text,
    fallback: 'none',
    about:
      '[What runs headnodes](hypervisors.md): `none`, `libvirt`, `mock` (simulated), or one that an [extension](extensions.md) brings.',
  },
  images: {
    takes: list,
    fallback: 'base',
    about:
      'What headnodes are made from: a list, in the environment separated by commas. For libvirt [domains or volumes](hypervisors.md#images); the mock hypervisor takes any names.',
  },
  ...libvirtSettings,
  ...historySettings,
  ...webhookSettings,
  ...mailSettings,
  log_level: {
    takes: oneOf(...logLevels),
    fallback: 'info',
    about: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
  },
  'release.patience': {
    takes: seconds(),
    fallback: '300',
    about:
      'How long a [release](tenant-guide.md#give-nodes-back) tries again while an OBM daemon does not answer, or waits for a port to be read, before it fails.',
  },
  'engine.budget': {
    takes: seconds(),
    fallback: '60',
    about: 'How long a networking action may stay `PENDING` while its switch cannot be reached.',
  },
  'engine.device_timeout': {
    takes: seconds(),
    fallback: '15',
    about:
      'How long one call to a switch may take; one about many ports gets a twentieth more for each beyond the first.',
  },
  'engine.lease': {
    takes: seconds(),
    fallback: '4',
    about: 'How long a dead worker keeps its switches from the others. The same in every process.',
  },
  'engine.poll': { takes: seconds(), fallback: '2', about: 'How often the queue is polled without a notification.' },
  'engine.sweep': {
    takes: secondsOrNever(86_400),
    fallback: '300',
    about: 'How often each switch is [compared](drift.md) with what is recorded, up to a day; 0: only on demand.',
  },
  'engine.save_delay': {
    takes: seconds(),
    fallback: '5',
    about: 'How long changes are gathered before a switch saves its configuration.',
  },
  'engine.session_idle': {
    takes: seconds(),
    fallback: '30',
    about: 'How long a session to a switch is kept open after its last use.',
  },
  'engine.late_write': {
    takes: seconds(),
    fallback: '120',
    about:
      'How long the ports of a session that broke off stay in doubt, on switches that do not refuse what arrives late ([decision 10](decisions/0010-late-writes.md)).',
  },
  'obm.timeout': { takes: seconds(), fallback: '20', about: 'How long a call to an OBM daemon may take.' },
  'obm.ca': {
    takes: pemFile,
    about: 'PEM file of the authority that certificates of OBM daemons are from. None: those that Node.js trusts.',
  },
  ...outboundSettings,
  'obmd.listen': {
    env: 'CORRAL_OBMD',
    takes: listenAddressOrOff,
    fallback: 'off',
    about: '`HOST:PORT` to run the [OBM daemon](obmd/README.md) inside the service. `off`: not here.',
  },
  ...obmdSettings,
  extensions: {
    takes: list,
    fallback: '',
    about: '[Modules](extensions.md) that bring drivers of their own: a list, in the environment separated by commas.',
  },
} as const satisfies Settings;

export type SettingValues = ValuesOf<typeof settings>;
