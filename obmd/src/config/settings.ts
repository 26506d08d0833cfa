import type { Setting } from '@corral/base/config/setting';

/*
 * Every setting of the daemon once. The service takes the first list too, when it runs the daemon inside itself; the
 * second is for the program of its own, under the names that the service has for the same things.
 */

export const obmdSettings = [
  {
    key: 'obmd.admin_token',
    env: 'CORRAL_OBMD_ADMIN_TOKEN',
    takes: 'secret',
    fallback: null,
    about:
      'what node_register sends as `admin_token`; default: made on first start, in obmd-admin-token in the data directory',
  },
  {
    key: 'obmd.tls_cert',
    env: 'CORRAL_OBMD_TLS_CERT',
    takes: 'text',
    fallback: null,
    about: 'PEM file with the certificate of the OBM daemon, for HTTPS; goes with `obmd.tls_key`',
  },
  {
    key: 'obmd.tls_key',
    env: 'CORRAL_OBMD_TLS_KEY',
    takes: 'text',
    fallback: null,
    about: 'PEM file with its private key',
  },
  {
    key: 'obmd.call_timeout',
    env: 'CORRAL_OBMD_CALL_TIMEOUT',
    takes: 'seconds',
    fallback: '15',
    about: 'how long a call to a BMC may take, the wait for its turn included; less than `obm.timeout`',
  },
  {
    key: 'obmd.call_gap',
    env: 'CORRAL_OBMD_CALL_GAP',
    takes: 'seconds',
    fallback: '0.1',
    about: 'pause between two calls to the same BMC; 0: none',
  },
  {
    key: 'obmd.soft_grace',
    env: 'CORRAL_OBMD_SOFT_GRACE',
    takes: 'seconds',
    fallback: '60',
    about: 'how long a soft power cycle waits for the operating system before it is done the hard way',
  },
  {
    key: 'obmd.console_linger',
    env: 'CORRAL_OBMD_CONSOLE_LINGER',
    takes: 'seconds',
    fallback: '300',
    about: 'how long a console is kept open on the BMC after its last client left; 0: not at all',
  },
  {
    key: 'obmd.outbound_allow',
    env: 'CORRAL_OBMD_OUTBOUND_ALLOW',
    takes: 'list',
    fallback: '',
    about: 'where BMCs may be: addresses, networks, host names; default: anywhere but link-local and the like',
  },
] as const satisfies readonly Setting[];

export const programSettings = [
  {
    key: 'obmd.listen',
    env: 'CORRAL_OBMD',
    takes: 'text',
    fallback: '127.0.0.1:8080',
    about: 'HOST:PORT to listen on',
  },
  {
    key: 'data_dir',
    env: 'CORRAL_DATA_DIR',
    takes: 'text',
    fallback: './data',
    about: 'where the embedded database, the key file and the admin token are kept',
  },
  {
    key: 'database_url',
    env: 'CORRAL_DATABASE_URL',
    takes: 'secret',
    fallback: null,
    about: 'a path for SQLite, or postgres://…; default: obmd.db in the data directory',
  },
  {
    key: 'key_file',
    env: 'CORRAL_KEY_FILE',
    takes: 'text',
    fallback: null,
    about: 'key for secrets at rest; default: secret.key in the data directory, made on first start',
  },
  {
    key: 'log_level',
    env: 'CORRAL_LOG_LEVEL',
    takes: 'text',
    fallback: 'info',
    about: 'trace, debug, info, warn, error, fatal or silent',
  },
  ...obmdSettings,
] as const satisfies readonly Setting[];

export type ObmdSettingKey = (typeof obmdSettings)[number]['key'];
export type ProgramSettingKey = (typeof programSettings)[number]['key'];
