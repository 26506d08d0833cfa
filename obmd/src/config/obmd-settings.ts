import { databaseUrl } from '@corral/base/config/database-url';
import { allowList } from '@corral/base/config/outbound-setting';
import { logLevels } from '@corral/base/config/setting-reader';
import type { Setting, ValuesOf } from '@corral/base/config/setting';
import { oneOf, seconds, secondsOrNever, text, textThat, type ValueType } from '@corral/base/config/value-types';
import type { ListenAddress } from './obmd-config.ts';

const longestToken = 256;

const adminToken: ValueType<string> = {
  ...textThat(
    (given) => new RegExp(`^[\\x21-\\x7e]{1,${longestToken}}$`).test(given),
    `1 to ${longestToken} printable ASCII characters without spaces`,
  ),
  isSecret: true,
};

/** `HOST:PORT`, with the host of IPv6 in brackets. */
export const listenAddress: ValueType<ListenAddress> = {
  expected: 'HOST:PORT',
  parse: (given, wrong) => {
    const [, bracketed, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec(given) ?? [];
    const host = bracketed ?? plain;
    if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
    wrong();
    return { host: '127.0.0.1', port: 0 };
  },
};

/*
 * Every setting of the daemon once. The service takes the first list too, when it runs the daemon inside itself; the
 * second is for the program of its own, under the names that the service has for the same things.
 */

export const obmdSettings = [
  {
    key: 'obmd.admin_token',
    env: 'CORRAL_OBMD_ADMIN_TOKEN',
    takes: adminToken,
    fallback: null,
    about:
      'What `node_register` sends as `admin_token`. None: made on first start and kept in `obmd-admin-token` in the data directory.',
  },
  {
    key: 'obmd.tls_cert',
    env: 'CORRAL_OBMD_TLS_CERT',
    takes: text,
    fallback: null,
    about:
      'PEM file with the certificate of the OBM daemon, for HTTPS. Goes with `obmd.tls_key`. Read again when it changes.',
  },
  {
    key: 'obmd.tls_key',
    env: 'CORRAL_OBMD_TLS_KEY',
    takes: text,
    fallback: null,
    about: 'PEM file with its private key.',
  },
  {
    key: 'obmd.call_timeout',
    env: 'CORRAL_OBMD_CALL_TIMEOUT',
    takes: seconds(),
    fallback: '15',
    about: 'How long a call to a BMC may take, the wait for its turn included. Keep it below `obm.timeout`.',
  },
  {
    key: 'obmd.call_gap',
    env: 'CORRAL_OBMD_CALL_GAP',
    takes: secondsOrNever(60),
    fallback: '0.1',
    about: 'Pause between two calls to the same BMC. 0: none.',
  },
  {
    key: 'obmd.soft_grace',
    env: 'CORRAL_OBMD_SOFT_GRACE',
    takes: seconds(),
    fallback: '60',
    about: 'How long a soft power cycle waits for the operating system before it is done the hard way.',
  },
  {
    key: 'obmd.console_linger',
    env: 'CORRAL_OBMD_CONSOLE_LINGER',
    takes: secondsOrNever(86_400),
    fallback: '300',
    about: 'How long a console is kept open on the BMC after its last client left. 0: not at all.',
  },
  {
    key: 'obmd.outbound_allow',
    env: 'CORRAL_OBMD_OUTBOUND_ALLOW',
    takes: allowList,
    fallback: '',
    about: 'Where BMCs may be, in the same way; for the OBM daemon, inside the service or on its own.',
  },
] as const satisfies readonly Setting[];

export const programSettings = [
  {
    key: 'obmd.listen',
    env: 'CORRAL_OBMD',
    takes: listenAddress,
    fallback: '127.0.0.1:8080',
    about: 'HOST:PORT to listen on',
  },
  {
    key: 'data_dir',
    env: 'CORRAL_DATA_DIR',
    takes: text,
    fallback: './data',
    about: 'where the embedded database, the key file and the admin token are kept',
  },
  {
    key: 'database_url',
    env: 'CORRAL_DATABASE_URL',
    takes: databaseUrl,
    fallback: null,
    about: 'a path for SQLite, or postgres://…; default: obmd.db in the data directory',
  },
  {
    key: 'key_file',
    env: 'CORRAL_KEY_FILE',
    takes: text,
    fallback: null,
    about: 'key for secrets at rest; default: secret.key in the data directory, made on first start',
  },
  {
    key: 'log_level',
    env: 'CORRAL_LOG_LEVEL',
    takes: oneOf(...logLevels),
    fallback: 'info',
    about: 'trace, debug, info, warn, error, fatal or silent',
  },
  ...obmdSettings,
] as const satisfies readonly Setting[];

export type ObmdValues = ValuesOf<typeof obmdSettings>;
export type ProgramValues = ValuesOf<typeof programSettings>;
