import fc from 'fast-check';
import type { Route } from '../../../src/server/route.ts';
import { bodyFor, odd, textFor } from './fuzz-values.ts';
import { basic } from '../http/http-client.ts';
import { adminPassword, passwordOf } from '../services/service.ts';

/** A request, as bytes are made of it. */
export interface Request {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  readonly isChunked: boolean;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'LINK', 'FOO', 'get'];

const authorizations: readonly (readonly [string, string] | null)[] = [
  ['authorization', basic('admin', adminPassword)],
  ['authorization', basic('admin', adminPassword)],
  ['authorization', basic('admin', adminPassword)],
  ['authorization', basic('member', passwordOf('member'))],
  ['authorization', basic('member', passwordOf('member'))],
  null,
];
/** Tried seldom: what gets as far as a password costs the time of a slow hash. */
const badAuthorizations: readonly (readonly [string, string])[] = [
  ['authorization', ''],
  ['authorization', 'Basic'],
  ['authorization', `Basic ${Buffer.from('a\0b:c').toString('base64')}`],
  ['authorization', `Basic ${'A'.repeat(8000)}`],
  ['authorization', 'Bearer \u00ff\u00fe'],
];

/** Percent-encoded; half characters, which no path can hold, become U+FFFD. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

/** An argument in a path: mostly encoded as it should be, sometimes raw. */
const segment = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: textFor(name).map((text) => encoded(text)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '%',
        '%zz',
        '%ff',
        '%00',
        '%c0%af',
        '%E4',
        '%ED%A0%80',
        '%2e%2e',
        '%2F',
        '%5C',
        '..',
        '',
        'a%',
        ';a=b',
        '\u00fc',
      ),
    },
  );

const pathOf = ({ path }: Route): fc.Arbitrary<string> => {
  const parts = path.split('/').slice(1);
  return fc
    .tuple(...parts.map((part) => (part.startsWith(':') ? segment(part.slice(1)) : fc.constant(part))))
    .map((made) => `/v0/${made.join('/')}`);
};

/** Does something to a path that a careful client would not do. */
const bent = (path: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(path) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        `${path}/`,
        `/${path}`,
        path.replace('/v0', '/v0/.'),
        path.toUpperCase(),
        `${path}#a`,
        `http://elsewhere${path}`,
        '*',
        `${path}\u0001`,
        `${path} x`,
        `${path}${'/a'.repeat(4000)}`,
        `/v0${'%61'.repeat(3000)}`,
      ),
    },
  );

const queryOf = ({ query }: Route): fc.Arbitrary<string> => {
  const names = Object.keys(query.properties);
  const pair = (name: string): fc.Arbitrary<string> => textFor(name).map((text) => `${name}=${encoded(text)}`);
  const fit =
    names.length === 0
      ? fc.constant('')
      : fc
          .subarray(names, { maxLength: Math.min(4, names.length) })
          .chain((chosen) => fc.tuple(...chosen.map(pair)).map((pairs) => `?${pairs.join('&')}`));
  const garbage = fc.constantFrom(
    '?',
    '?a',
    '?a=1',
    '?a=1&a=2',
    '?project=red&project=red',
    '?%',
    '?%zz=%ff',
    '?&&==',
    '?__proto__=1&constructor=2',
    '?project=%00',
    '?\u00fc=\u00fc',
    `?a=${'b'.repeat(9000)}`,
    `?${'a&'.repeat(2000)}`,
  );
  return fc.oneof({ weight: 8, arbitrary: fit }, { weight: 1, arbitrary: garbage });
};

const extraHeader: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc
    .constantFrom(
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      '',
      ';;;',
      'a/b/c',
      'multipart/form-data',
      'application/json; charset=utf-16',
      '\u00ff',
    )
    .map((value) => ['content-type', value] as const),
  fc.constantFrom(
    ['content-type', 'text/xml'],
    ['content-encoding', 'gzip'],
    ['expect', '100-continue'],
    ['expect', 'the unexpected'],
    ['upgrade', 'websocket'],
    ['connection', 'keep-alive, x'],
    ['last-event-id', '-1'],
    ['last-event-id', '999999999999999'],
    ['x-http-method-override', 'DELETE'],
    ['x-forwarded-for', "'"],
    ['x-request-id', '\u00ff'.repeat(200)],
    ['accept', 'text/html'],
    ['host', 'elsewhere'],
    ['authorization', 'Basic Og=='],
    ['content-length', '0'],
    ['content-length', '-1'],
    ['transfer-encoding', 'gzip'],
    ['x-long', 'x'.repeat(20_000)],
    ['bad name', 'a'],
    ['x-folded', 'a\r\n b'],
    ['x-nul', 'a\0b'],
  ),
  fc.constantFrom(...odd.filter((text) => !/[\r\n\ud800-\udfff]/.test(text))).map((text) => ['x-odd', text] as const),
);

/** Requests for a route: most are nearly right, because what is plainly wrong does not get far. */
export const requestFor = (route: Route): fc.Arbitrary<Request> =>
  fc
    .record({
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant(route.method) },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      path: pathOf(route).chain(bent),
      query: queryOf(route),
      authorization: fc.oneof(
        { weight: 30, arbitrary: fc.constantFrom(...authorizations) },
        { weight: 1, arbitrary: fc.constantFrom(...badAuthorizations) },
      ),
      extra: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(extraHeader, { minLength: 1, maxLength: 3 }) },
      ),
      body: bodyFor(route.body),
      isChunked: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    })
    .map(({ method, path, query, authorization, extra, body, isChunked }) => {
      const headers = [...(authorization === null ? [] : [authorization]), ...extra];
      const made = { method, target: `${path}${query}`, headers, body, isChunked: isChunked && body.length > 0 };
      return { ...made, [fc.toStringMethod]: () => told(made) };
    });

/** The request as it goes over the wire. */
export const bytesOf = ({ method, target, headers, body, isChunked }: Request): Buffer => {
  const length = isChunked ? ['transfer-encoding', 'chunked'] : ['content-length', String(body.length)];
  const lines = [['host', 'corral'], ['connection', 'close'], length, ...headers].map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  if (!isChunked) return Buffer.concat([head, body]);
  return Buffer.concat([head, Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
};

/** A request in the words of a failed test. */
export const told = (request: Request): string => {
  const text = request.body.toString();
  const headers = request.headers.map(([name, value]) => `${name}: ${value}`.slice(0, 200));
  return [`${request.method} ${request.target.slice(0, 500)}`, ...headers, text.slice(0, 500)]
    .map((line) => JSON.stringify(line))
    .join('\n');
};
