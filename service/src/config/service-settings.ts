import { databaseUrl } from '@corral/base/config/database-url';
import { logLevels } from '@corral/base/config/setting-reader';
import type { Setting, ValuesOf } from '@corral/base/config/setting';
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
import { listenAddress } from '@corral/obmd/config/obmd-settings';
import { obmdSettings } from '@corral/obmd/config/obmd-settings';
import { httpSettings } from './http-config.ts';
import { historySettings } from './history-config.ts';
import { deviceLimitSettings } from './device-limit-config.ts';
import { identitySettings } from './identity-config.ts';
import { keystoneSettings } from './keystone-config.ts';
import { oidcSettings } from './oidc-config.ts';
import { outboundSettings } from './outbound-config.ts';
import { pemFile } from './certificate-authority.ts';
import type { VlanRange } from './service-config.ts';
import { libvirtNetwork, libvirtUri, storagePool, vncHost } from './libvirt-config.ts';

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

const listenAddressOrOff: ValueType<ListenAddress | 'off'> = {
  expected: '`off`, or HOST:PORT',
  parse: (given, wrong) => (given === 'off' ? given : listenAddress.parse(given, wrong)),
};

/*
 * Every setting once: its name in corral.toml, its environment variable, what it takes. The list is what
 * the loader reads, and what docs/configuration.md is checked against.
 */

export const settings = [
  { key: 'host', env: 'CORRAL_HOST', takes: text, fallback: '127.0.0.1', about: 'Address to listen on.' },
  {
    key: 'port',
    env: 'CORRAL_PORT',
    takes: whole(0, 65_535),
    fallback: '5000',
    about: 'Port to listen on; 0 takes a free one.',
  },
  ...httpSettings,
  ...deviceLimitSettings,
  {
    key: 'data_dir',
    env: 'CORRAL_DATA_DIR',
    takes: text,
    fallback: './data',
    about:
      'Where the embedded database, the key file, the first password and what is simulated are kept. Made if it is missing.',
  },
  {
    key: 'database_url',
    env: 'CORRAL_DATABASE_URL',
    takes: databaseUrl,
    fallback: null,
    about:
      'A path for SQLite, or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. Without it: `corral.db` in the data directory.',
  },
  {
    key: 'database_connections',
    env: 'CORRAL_DATABASE_CONNECTIONS',
    takes: whole(2, 1000),
    fallback: '10',
    about: 'Most connections to PostgreSQL of this process, 2 to 1000; one more listens for announcements.',
  },
  {
    key: 'auth',
    env: 'CORRAL_AUTH',
    takes: backends,
    fallback: 'database',
    about:
      'Who knows callers: one or more of `database` (users and passwords), `keystone` ([OpenStack](auth/keystone.md)), `oidc` ([an OpenID provider](auth/oidc.md)) and those that [extensions](extensions.md) bring, each for its own kind of credentials. Or `null`: no passwords, everybody is administrator; only on a loopback address.',
  },
  ...keystoneSettings,
  ...oidcSettings,
  ...identitySettings,
  {
    key: 'require_authentication',
    env: 'CORRAL_REQUIRE_AUTHENTICATION',
    takes: flag,
    fallback: 'false',
    about: '`true` refuses callers without credentials on every call, also those that anybody may make otherwise.',
  },
  {
    key: 'admin_password',
    env: 'CORRAL_ADMIN_PASSWORD',
    takes: password,
    fallback: null,
    about:
      'Password of the user `admin` that the first start makes. Without it one is made, shown once, and kept in `admin-password` in the data directory. Later starts do not look at it.',
  },
  {
    key: 'vlans',
    env: 'CORRAL_VLANS',
    takes: vlanRanges,
    fallback: '100-1000',
    about:
      'VLAN ids to hand out: ids and ranges within 1 to 4094. A pool that no longer holds the id of a network in use is a start-up error.',
  },
  {
    key: 'maintenance.project',
    env: 'CORRAL_MAINTENANCE_PROJECT',
    takes: text,
    fallback: null,
    about: 'Project that nodes go to when they leave another; made if it is missing. Needs `maintenance.url`.',
  },
  {
    key: 'maintenance.url',
    env: 'CORRAL_MAINTENANCE_URL',
    takes: text,
    fallback: null,
    about: 'URL that is notified of such a node, by `POST {"node": "<label>"}`. Needs `maintenance.project`.',
  },
  {
    key: 'key_file',
    env: 'CORRAL_KEY_FILE',
    takes: text,
    fallback: null,
    about:
      'Keys for secrets at rest: 32 bytes in base64 a line; the first seals, all open ([rotate](operator-guide.md#rotate-the-key)). Without it: `secret.key` in the data directory. Made on first start if it is not there.',
  },
  {
    key: 'hypervisor',
    env: 'CORRAL_HYPERVISOR',
    takes: text,
    fallback: 'mock',
    about:
      '[What runs headnodes](hypervisors.md): `mock`, `libvirt`, or one that an [extension](extensions.md) brings.',
  },
  {
    key: 'images',
    env: 'CORRAL_IMAGES',
    takes: list,
    fallback: 'base',
    about:
      'What headnodes are made from: a list, in the environment separated by commas. For libvirt [domains or volumes](hypervisors.md#images); the mock hypervisor takes any names.',
  },
  {
    key: 'libvirt.uri',
    env: 'CORRAL_LIBVIRT_URI',
    takes: libvirtUri,
    fallback: 'qemu:///system',
    about: 'The libvirt that runs headnodes, as the [OBM driver](obmd/libvirt.md#fields) takes it.',
  },
  {
    key: 'libvirt.pool',
    env: 'CORRAL_LIBVIRT_POOL',
    takes: storagePool,
    fallback: 'default',
    about: 'Its storage pool for disks of headnodes.',
  },
  {
    key: 'libvirt.network',
    env: 'CORRAL_LIBVIRT_NETWORK',
    takes: libvirtNetwork,
    fallback: 'bridges',
    about: 'How headnodes [reach VLANs](hypervisors.md#networks): `ovs:BRIDGE`, `bridges` or `bridges:UPLINK`.',
  },
  {
    key: 'libvirt.vnc_host',
    env: 'CORRAL_LIBVIRT_VNC_HOST',
    takes: vncHost,
    fallback: '127.0.0.1',
    about:
      'Address of the hypervisor that [screens](hypervisors.md#screens) of headnodes listen on, and are reached at.',
  },
  {
    key: 'libvirt.memory',
    env: 'CORRAL_LIBVIRT_MEMORY',
    takes: whole(16, 16_777_216),
    fallback: '1024',
    about: 'MiB of memory of a headnode whose image is a volume.',
  },
  {
    key: 'libvirt.cpus',
    env: 'CORRAL_LIBVIRT_CPUS',
    takes: whole(1, 1024),
    fallback: '1',
    about: 'Processors of a headnode whose image is a volume, 1 to 1024.',
  },
  {
    key: 'libvirt.timeout',
    env: 'CORRAL_LIBVIRT_TIMEOUT',
    takes: seconds(),
    fallback: '30',
    about:
      'How long one command of libvirt may take. Starting a machine (120 s) and copying a whole disk (10 minutes) have longer.',
  },
  ...historySettings,
  {
    key: 'log_level',
    env: 'CORRAL_LOG_LEVEL',
    takes: oneOf(...logLevels),
    fallback: 'info',
    about: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
  },
  {
    key: 'engine.budget',
    env: 'CORRAL_ENGINE_BUDGET',
    takes: seconds(),
    fallback: '60',
    about: 'How long a networking action may stay `PENDING` while its switch cannot be reached.',
  },
  {
    key: 'engine.device_timeout',
    env: 'CORRAL_ENGINE_DEVICE_TIMEOUT',
    takes: seconds(),
    fallback: '15',
    about:
      'How long one call to a switch may take; one about many ports gets a twentieth more for each beyond the first.',
  },
  {
    key: 'engine.lease',
    env: 'CORRAL_ENGINE_LEASE',
    takes: seconds(),
    fallback: '5',
    about: 'How long a dead worker keeps its switches from the others. The same in every replica.',
  },
  {
    key: 'engine.poll',
    env: 'CORRAL_ENGINE_POLL',
    takes: seconds(),
    fallback: '2',
    about: 'How often the queue is polled without a notification.',
  },
  {
    key: 'engine.sweep',
    env: 'CORRAL_ENGINE_SWEEP',
    takes: secondsOrNever(86_400),
    fallback: '300',
    about: 'How often each switch is [compared](drift.md) with what is recorded, up to a day; 0: only on demand.',
  },
  {
    key: 'engine.save_delay',
    env: 'CORRAL_ENGINE_SAVE_DELAY',
    takes: seconds(),
    fallback: '5',
    about: 'How long changes are gathered before a switch saves its configuration.',
  },
  {
    key: 'engine.session_idle',
    env: 'CORRAL_ENGINE_SESSION_IDLE',
    takes: seconds(),
    fallback: '30',
    about: 'How long a session to a switch is kept open after its last use.',
  },
  {
    key: 'engine.late_write',
    env: 'CORRAL_ENGINE_LATE_WRITE',
    takes: seconds(),
    fallback: '120',
    about:
      'How long the ports of a session that broke off stay in doubt, on switches that do not refuse what arrives late ([decision 10](decisions/0010-late-writes.md)).',
  },
  {
    key: 'obm.timeout',
    env: 'CORRAL_OBM_TIMEOUT',
    takes: seconds(),
    fallback: '20',
    about: 'How long a call to an OBM daemon may take.',
  },
  {
    key: 'obm.ca',
    env: 'CORRAL_OBM_CA',
    takes: pemFile,
    fallback: null,
    about: 'PEM file of the authority that certificates of OBM daemons are from. None: those that Node.js trusts.',
  },
  ...outboundSettings,
  {
    key: 'obmd.listen',
    env: 'CORRAL_OBMD',
    takes: listenAddressOrOff,
    fallback: 'off',
    about: '`HOST:PORT` to run the [OBM daemon](obmd/README.md) inside the service. `off`: not here.',
  },
  ...obmdSettings,
  {
    key: 'extensions',
    env: 'CORRAL_EXTENSIONS',
    takes: list,
    fallback: '',
    about: '[Modules](extensions.md) that bring drivers of their own: a list, in the environment separated by commas.',
  },
] as const satisfies readonly Setting[];

export type SettingValues = ValuesOf<typeof settings>;
