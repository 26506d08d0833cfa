import { resolve } from 'node:path';
import type { SettingReader } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import { listOf, oneOf, text, whole } from '@corral/base/config/value-types';
import { type Network, networkIn, Networks } from '@corral/base/http/ip-address';
import type { HttpOptions } from '@corral/base/http/http-options';

/** As browsers write it: nothing else would ever be equal to what they send. */
const isOrigin = (text: string): boolean =>
  !text.includes('*') &&
  URL.canParse(text) &&
  /^https?:$/.test(new URL(text).protocol) &&
  new URL(text).origin === text;

const most = 1_000_000;
const loopback = ['127.0.0.0/8', '::1'];

const networks = listOf(
  '`loopback`, addresses and networks such as 192.0.2.7, 10.1.0.0/16 or fd00::/64',
  (entries, wrong): Networks | null => {
    const found = entries
      .flatMap((entry) => (entry === 'loopback' ? loopback : [entry]))
      .flatMap((entry): Network[] => {
        const network = networkIn(entry);
        if (network === null) wrong({ entry });
        return network === null ? [] : [network];
      });
    return found.length === 0 ? null : new Networks(found);
  },
);

const origins = listOf(
  'origins such as https://tools.example.org, without a path; `*` is not supported',
  (entries, wrong) => {
    for (const entry of entries.filter((text) => !isOrigin(text))) wrong({ entry });
    return entries;
  },
);

/** The settings of the HTTP server. */
export const httpSettings = {
  'tls.cert': {
    takes: text,
    about:
      'PEM file with the certificate of the service, followed by those between it and its authority, for [HTTPS](operator-guide.md#tls) (TLS 1.2 and 1.3). Goes with `tls.key`. Read again when it changes.',
  },
  'tls.key': { takes: text, about: 'PEM file with its private key.' },
  trusted_proxies: {
    takes: networks,
    fallback: '',
    about:
      '[Proxies](operator-guide.md#behind-a-proxy) whose `X-Forwarded-For`, `-Proto` and `-Host` count: addresses, networks such as `10.1.0.0/16`, and `loopback` for this machine. A list, in the environment separated by commas.',
  },
  'cors.origins': {
    takes: origins,
    fallback: '',
    about:
      'Origins such as `https://tools.example.org` whose pages may call from a browser, with credentials that they hold themselves; cookies are never theirs. A list; `*` is not supported.',
  },
  metrics: {
    takes: oneOf('loopback', 'nobody', 'anyone'),
    fallback: 'loopback',
    about:
      'Who sees `/metrics` without credentials: `loopback` (programs on this machine, unless they come through a proxy), `nobody` or `anyone`. Administrators see it from everywhere: give Prometheus an API token of one, made with `read_only`.',
  },
  'limits.rate': {
    takes: whole(0, most),
    fallback: '200',
    about:
      '[Requests a second](operator-guide.md#limits) from one address (of IPv6, its /64), twice as many at once after a pause; more are refused with 429. Programs on this machine are exempt, unless they speak for others as a trusted proxy. 0: no limit.',
  },
  'limits.connections': {
    takes: whole(10, most),
    fallback: '4096',
    about: 'Connections at once, from 10. When there are more, those go that have not sent a whole request.',
  },
  'limits.connections_per_address': {
    takes: whole(0, most),
    fallback: '512',
    about: 'The same for one address (of IPv6, its /64), trusted proxies excepted. 0: no limit.',
  },
  'limits.streams_per_address': {
    takes: whole(0, most),
    fallback: '100',
    about:
      'Event streams, consoles and screens of one address at once; the same are exempt as from `limits.rate`. 0: no limit.',
  },
} as const satisfies Settings;

/** Reads the settings of the HTTP server. The certificate itself is read at the start, and again when it changes. */
export const httpConfig = (read: SettingReader<ValuesOf<typeof httpSettings>>, mistakes: string[]): HttpOptions => {
  const cert = read.value('tls.cert');
  const key = read.value('tls.key');
  if ((cert === null) !== (key === null)) {
    mistakes.push('tls: the certificate and its key must be given together; give both, or neither');
  }
  return {
    tls: cert === null || key === null ? null : { cert: resolve(cert), key: resolve(key) },
    trustedProxies: read.value('trusted_proxies'),
    corsOrigins: read.value('cors.origins'),
    metrics: read.value('metrics'),
    limits: {
      rate: read.value('limits.rate'),
      connections: read.value('limits.connections'),
      connectionsPerAddress: read.value('limits.connections_per_address'),
      streamsPerAddress: read.value('limits.streams_per_address'),
    },
  };
};
