import { databaseUrl } from '@corral/base/config/database-url';
import { allowList } from '@corral/base/config/outbound-setting';
import { logLevels } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import { flag, oneOf, seconds, secondsOrNever, text, textThat, type ValueType } from '@corral/base/config/value-types';
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

/** Scheme, host and port. */
const daemonUrl: ValueType<string> = textThat((given) => {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) return false;
  const { pathname, search, hash, username, password } = new URL(given);
  return [pathname, search, hash, username, password].join('') === '/';
}, 'an http or https address without a path, such as https://corral-1.example.org:8080');

/*
 * Every setting of the daemon once. The service takes the first list too, when it runs the daemon inside itself; the
 * second is for the program of its own, under the names that the service has for the same things.
 */

export const obmdSettings = {
  'obmd.admin_token': {
    takes: adminToken,
    about:
      'What `node_register` sends as `admin_token`. None: made on first start and kept in `obmd-admin-token` in the data directory.',
  },
  'obmd.url': {
    takes: daemonUrl,
    about:
      'Where services on other machines that share the PostgreSQL reach this daemon, such as `https://corral-1.example.org:8080`: [replicas](operator-guide.md#power-with-replicas-on-several-machines). None: only from this machine.',
  },
  'obmd.allow_http': {
    takes: flag,
    fallback: 'false',
    about: 'Permits an `obmd.url` without TLS that is not a loopback address: tokens are then sent unencrypted.',
  },
  'obmd.tls_cert': {
    takes: text,
    about:
      'PEM file with the certificate of the OBM daemon, for HTTPS. Goes with `obmd.tls_key`. Read again when it changes.',
  },
  'obmd.tls_key': { takes: text, about: 'PEM file with its private key.' },
  'obmd.call_timeout': {
    takes: seconds(),
    fallback: '15',
    about: 'How long a call to a BMC may take, the wait for its turn included. Keep it below `obm.timeout`.',
  },
  'obmd.call_gap': {
    takes: secondsOrNever(60),
    fallback: '0.1',
    about: 'Pause between two calls to the same BMC. 0: none.',
  },
  'obmd.soft_grace': {
    takes: seconds(),
    fallback: '60',
    about: 'How long a soft power cycle waits for the operating system before it is done the hard way.',
  },
  'obmd.console_linger': {
    takes: secondsOrNever(86_400),
    fallback: '300',
    about: 'How long a console is kept open on the BMC after its last client left. 0: not at all.',
  },
  'obmd.outbound_allow': {
    takes: allowList,
    fallback: '',
    about: 'Where BMCs may be, in the same way; for the OBM daemon, inside the service or on its own.',
  },
} as const satisfies Settings;

export const programSettings = {
  'obmd.listen': {
    env: 'CORRAL_OBMD',
    takes: listenAddress,
    fallback: '127.0.0.1:8080',
    about: 'HOST:PORT to listen on',
  },
  data_dir: {
    takes: text,
    fallback: './data',
    about: 'where the embedded database, the key file and the admin token are kept',
  },
  database_url: {
    takes: databaseUrl,
    about: 'a path for SQLite, or postgres://…; default: obmd.db in the data directory',
  },
  key_file: {
    takes: text,
    about: 'key for secrets at rest; default: secret.key in the data directory, made on first start',
  },
  log_level: {
    takes: oneOf(...logLevels),
    fallback: 'info',
    about: 'trace, debug, info, warn, error, fatal or silent',
  },
  ...obmdSettings,
} as const satisfies Settings;

export type ObmdValues = ValuesOf<typeof obmdSettings>;
export type ProgramValues = ValuesOf<typeof programSettings>;
