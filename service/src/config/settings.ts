import type { Setting } from '@corral/base/config/setting';
import { obmdSettings } from '@corral/obmd/config/settings';
import { frontSettings } from './front.ts';
import { historySettings } from './history.ts';
import { deviceLimitSettings } from './device-limits.ts';
import { identitySettings } from './identity.ts';
import { keystoneSettings } from './keystone.ts';
import { oidcSettings } from './oidc.ts';
import { outboundSettings } from './outbound.ts';

/*
 * Every setting once: its name in corral.toml, its environment variable, what it takes. The list is what
 * the loader reads, and what docs/configuration.md is checked against.
 */

export const settings = [
  { key: 'host', env: 'CORRAL_HOST', takes: 'text', fallback: '127.0.0.1', about: 'address to listen on' },
  { key: 'port', env: 'CORRAL_PORT', takes: 'port', fallback: '5000', about: 'port to listen on; 0 takes a free one' },
  ...frontSettings,
  ...deviceLimitSettings,
  {
    key: 'data_dir',
    env: 'CORRAL_DATA_DIR',
    takes: 'text',
    fallback: './data',
    about: 'where the embedded database, the key file and the first password are kept',
  },
  {
    key: 'database_url',
    env: 'CORRAL_DATABASE_URL',
    takes: 'secret',
    fallback: null,
    about: 'a path for SQLite, or postgres://…; default: corral.db in the data directory',
  },
  {
    key: 'database_connections',
    env: 'CORRAL_DATABASE_CONNECTIONS',
    takes: 'count',
    fallback: '10',
    about: 'most connections to PostgreSQL',
  },
  {
    key: 'auth',
    env: 'CORRAL_AUTH',
    takes: 'list',
    fallback: 'database',
    about:
      'authentication backends: any of `database`, `keystone`, `oidc`, and those that extensions bring; or `null`: no passwords, everyone is admin, loopback only',
  },
  ...keystoneSettings,
  ...oidcSettings,
  ...identitySettings,
  {
    key: 'require_authentication',
    env: 'CORRAL_REQUIRE_AUTHENTICATION',
    takes: 'flag',
    fallback: 'false',
    about: 'refuse callers without credentials on every call',
  },
  {
    key: 'admin_password',
    env: 'CORRAL_ADMIN_PASSWORD',
    takes: 'secret',
    fallback: null,
    about: 'password of the first administrator; first start only',
  },
  {
    key: 'vlans',
    env: 'CORRAL_VLANS',
    takes: 'text',
    fallback: '100-1000',
    about: 'VLAN ids to hand out, such as `100-300, 500`',
  },
  {
    key: 'maintenance.project',
    env: 'CORRAL_MAINTENANCE_PROJECT',
    takes: 'text',
    fallback: null,
    about: 'project that nodes go to when they leave another',
  },
  {
    key: 'maintenance.url',
    env: 'CORRAL_MAINTENANCE_URL',
    takes: 'text',
    fallback: null,
    about: 'URL that is notified of such a node',
  },
  {
    key: 'key_file',
    env: 'CORRAL_KEY_FILE',
    takes: 'text',
    fallback: null,
    about: 'key for secrets at rest; default: secret.key in the data directory, made on first start',
  },
  {
    key: 'hypervisor',
    env: 'CORRAL_HYPERVISOR',
    takes: 'text',
    fallback: 'mock',
    about: 'what runs headnodes: `mock`, `libvirt`, or one that an extension brings',
  },
  {
    key: 'images',
    env: 'CORRAL_IMAGES',
    takes: 'list',
    fallback: 'base',
    about: 'what headnodes are made from; for libvirt names of domains, or of volumes with or without `.qcow2`',
  },
  {
    key: 'libvirt.uri',
    env: 'CORRAL_LIBVIRT_URI',
    takes: 'text',
    fallback: 'qemu:///system',
    about: 'the libvirt that runs headnodes',
  },
  {
    key: 'libvirt.pool',
    env: 'CORRAL_LIBVIRT_POOL',
    takes: 'text',
    fallback: 'default',
    about: 'its storage pool for disks of headnodes',
  },
  {
    key: 'libvirt.network',
    env: 'CORRAL_LIBVIRT_NETWORK',
    takes: 'text',
    fallback: 'bridges',
    about: 'how headnodes reach VLANs: `ovs:BRIDGE`, `bridges` (`br-vlan<id>` that are there) or `bridges:UPLINK`',
  },
  {
    key: 'libvirt.vnc_host',
    env: 'CORRAL_LIBVIRT_VNC_HOST',
    takes: 'text',
    fallback: '127.0.0.1',
    about: 'address of the hypervisor that screens of headnodes listen on, and are reached at',
  },
  {
    key: 'libvirt.memory',
    env: 'CORRAL_LIBVIRT_MEMORY',
    takes: 'count',
    fallback: '1024',
    about: 'MiB of memory of a headnode whose image is a volume',
  },
  {
    key: 'libvirt.cpus',
    env: 'CORRAL_LIBVIRT_CPUS',
    takes: 'count',
    fallback: '1',
    about: 'processors of a headnode whose image is a volume',
  },
  {
    key: 'libvirt.timeout',
    env: 'CORRAL_LIBVIRT_TIMEOUT',
    takes: 'seconds',
    fallback: '30',
    about: 'how long one command of libvirt may take; starting a machine and copying a disk have longer',
  },
  ...historySettings,
  {
    key: 'log_level',
    env: 'CORRAL_LOG_LEVEL',
    takes: 'text',
    fallback: 'info',
    about: 'trace, debug, info, warn, error, fatal or silent',
  },
  {
    key: 'engine.budget',
    env: 'CORRAL_ENGINE_BUDGET',
    takes: 'seconds',
    fallback: '60',
    about: 'how long a networking action may stay PENDING while its switch cannot be reached',
  },
  {
    key: 'engine.device_timeout',
    env: 'CORRAL_ENGINE_DEVICE_TIMEOUT',
    takes: 'seconds',
    fallback: '15',
    about: 'how long one call to a switch may take; a twentieth more for each port beyond the first',
  },
  {
    key: 'engine.lease',
    env: 'CORRAL_ENGINE_LEASE',
    takes: 'seconds',
    fallback: '5',
    about: 'how long a dead worker keeps its switches from the others',
  },
  {
    key: 'engine.poll',
    env: 'CORRAL_ENGINE_POLL',
    takes: 'seconds',
    fallback: '2',
    about: 'how often the queue is polled without a notification',
  },
  {
    key: 'engine.sweep',
    env: 'CORRAL_ENGINE_SWEEP',
    takes: 'seconds',
    fallback: '300',
    about: 'how often each switch is compared with what is recorded; 0: only on demand',
  },
  {
    key: 'engine.save_delay',
    env: 'CORRAL_ENGINE_SAVE_DELAY',
    takes: 'seconds',
    fallback: '5',
    about: 'how long changes are gathered before a switch saves its configuration',
  },
  {
    key: 'engine.session_idle',
    env: 'CORRAL_ENGINE_SESSION_IDLE',
    takes: 'seconds',
    fallback: '30',
    about: 'how long a session to a switch is kept open after its last use',
  },
  {
    key: 'engine.late_write',
    env: 'CORRAL_ENGINE_LATE_WRITE',
    takes: 'seconds',
    fallback: '120',
    about:
      'how long the ports of a session that broke off stay in doubt, on switches that do not refuse what arrives late',
  },
  {
    key: 'obm.timeout',
    env: 'CORRAL_OBM_TIMEOUT',
    takes: 'seconds',
    fallback: '20',
    about: 'how long a call to an OBM daemon may take',
  },
  {
    key: 'obm.ca',
    env: 'CORRAL_OBM_CA',
    takes: 'text',
    fallback: null,
    about: 'PEM file of the authority that certificates of OBM daemons are from; default: those that Node.js trusts',
  },
  ...outboundSettings,
  {
    key: 'obmd.listen',
    env: 'CORRAL_OBMD',
    takes: 'text',
    fallback: 'off',
    about: 'HOST:PORT to run the OBM daemon inside the service; `off`: not here',
  },
  ...obmdSettings,
  {
    key: 'extensions',
    env: 'CORRAL_EXTENSIONS',
    takes: 'list',
    fallback: '',
    about: 'modules that bring drivers of their own',
  },
] as const satisfies readonly Setting[];

export type SettingKey = (typeof settings)[number]['key'];
