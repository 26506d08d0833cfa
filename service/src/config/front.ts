import { resolve } from 'node:path';
import type { SettingReader } from '@corral/base/config/reader';
import type { Setting } from '@corral/base/config/setting';
import { type Network, networkIn, Networks } from '@corral/base/http/address';
import type { Front } from '@corral/base/http/front';

/** The settings of the front door. */
export const frontSettings = [
  {
    key: 'tls.cert',
    env: 'CORRAL_TLS_CERT',
    takes: 'text',
    fallback: null,
    about: 'PEM file with the certificate of the service and those between it and its authority; goes with `tls.key`',
  },
  {
    key: 'tls.key',
    env: 'CORRAL_TLS_KEY',
    takes: 'text',
    fallback: null,
    about: 'PEM file with its private key',
  },
  {
    key: 'trusted_proxies',
    env: 'CORRAL_TRUSTED_PROXIES',
    takes: 'list',
    fallback: '',
    about: 'addresses and networks of proxies whose X-Forwarded-For, -Proto and -Host count; `loopback`: this machine',
  },
  {
    key: 'cors.origins',
    env: 'CORRAL_CORS_ORIGINS',
    takes: 'list',
    fallback: '',
    about: 'origins such as https://tools.example.org whose pages may call from a browser',
  },
  {
    key: 'metrics',
    env: 'CORRAL_METRICS',
    takes: 'text',
    fallback: 'loopback',
    about: 'who sees `/metrics` beside administrators: `loopback` (programs on this machine), `nobody` or `anyone`',
  },
  {
    key: 'limits.rate',
    env: 'CORRAL_LIMITS_RATE',
    takes: 'count',
    fallback: '200',
    about: 'requests a second from one address, twice as many at once after a pause; 0: no limit',
  },
  {
    key: 'limits.connections',
    env: 'CORRAL_LIMITS_CONNECTIONS',
    takes: 'count',
    fallback: '4096',
    about: 'connections at once',
  },
  {
    key: 'limits.connections_per_address',
    env: 'CORRAL_LIMITS_CONNECTIONS_PER_ADDRESS',
    takes: 'count',
    fallback: '512',
    about: 'connections at once of one address, trusted proxies excepted; 0: no limit',
  },
  {
    key: 'limits.streams_per_address',
    env: 'CORRAL_LIMITS_STREAMS_PER_ADDRESS',
    takes: 'count',
    fallback: '100',
    about: 'event streams, consoles and screens of one address at once; 0: no limit',
  },
] as const satisfies readonly Setting[];

type FrontKey = (typeof frontSettings)[number]['key'];

const loopback = ['127.0.0.0/8', '::1'];
const most = 1_000_000;

/** Reads the settings of the front door. The certificate itself is read at the start, and again when it changes. */
export const frontConfig = (read: SettingReader<FrontKey>, mistakes: string[]): Front => {
  const cert = read.text('tls.cert');
  const key = read.text('tls.key');
  if ((cert === null) !== (key === null)) {
    mistakes.push('tls: the certificate and its key must be given together; give both, or neither');
  }
  const corsOrigins = read.list('cors.origins');
  for (const entry of corsOrigins.filter((text) => !isOrigin(text))) {
    read.wrong(
      'cors.origins',
      'origins such as https://tools.example.org, without a path; `*` is not supported',
      entry,
    );
  }
  return {
    tls: cert === null || key === null ? null : { cert: resolve(cert), key: resolve(key) },
    trustedProxies: proxiesOf(read),
    corsOrigins,
    metrics: read.oneOf('metrics', ['loopback', 'nobody', 'anyone']),
    limits: {
      rate: read.whole('limits.rate', 0, most),
      connections: read.whole('limits.connections', 10, most),
      connectionsPerAddress: read.whole('limits.connections_per_address', 0, most),
      streamsPerAddress: read.whole('limits.streams_per_address', 0, most),
    },
  };
};

const proxiesOf = (read: SettingReader<FrontKey>): Networks | null => {
  const networks: Network[] = [];
  for (const entry of read.list('trusted_proxies').flatMap((text) => (text === 'loopback' ? loopback : [text]))) {
    const network = networkIn(entry);
    if (network !== null) networks.push(network);
    else {
      const expected = '`loopback`, addresses and networks such as 192.0.2.7, 10.1.0.0/16 or fd00::/64';
      read.wrong('trusted_proxies', expected, entry);
    }
  }
  return networks.length === 0 ? null : new Networks(networks);
};

/** As browsers write it: nothing else would ever be equal to what they send. */
const isOrigin = (text: string): boolean =>
  !text.includes('*') &&
  URL.canParse(text) &&
  /^https?:$/.test(new URL(text).protocol) &&
  new URL(text).origin === text;
