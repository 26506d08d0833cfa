import { authorization } from '../installation.ts';

/** One request that is meant to be expensive, as the bytes of it. */
export interface HostileRequest {
  readonly what: string;
  /** Differs from time to time, so that nothing is known of it. */
  bytes(count: number): string;
}

const longestHead = 15_500;
const longestBody = 1_000_000;
const filled = (unit: string, length: number): string => unit.repeat(Math.floor(length / unit.length));
const admin = `Authorization: ${authorization}\r\n`;

const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: corral\r\nConnection: close\r\n${headers}\r\n`;
const put = (path: string, body: string, headers: string): string =>
  `PUT ${path} HTTP/1.1\r\nHost: corral\r\nConnection: close\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;

/** The body in as many pieces as it has bytes. */
const putInPieces = (path: string, bytes: number, headers: string): string =>
  `PUT ${path} HTTP/1.1\r\nHost: corral\r\nConnection: close\r\nContent-Type: application/json\r\n` +
  `Transfer-Encoding: chunked\r\n${headers}\r\n${'1\r\n \r\n'.repeat(bytes)}0\r\n\r\n`;

const fields = `{${Array.from({ length: 120_000 }, (_, at) => `"${at.toString(36)}":1`).join()}}`;
const bodies = {
  '120,000 unknown fields': fields.slice(0, longestBody),
  'arrays in arrays': filled('[', longestBody),
  'objects in objects': `${filled('{"a":', longestBody)}1${filled('}', longestBody / 5)}`.slice(0, longestBody),
  'a string of a megabyte': `{"password":"${filled('a', longestBody)}"}`,
  'one field again and again': `{${filled('"password":"a",', longestBody)}"password":"a"}`,
};

const queries = { '?a&a…': 'a&', '?%41=1&…': '%41=1&', '?a[b]=c&…': 'a[b]=c&', '?limit=1&…': 'limit=1&' };
const heads = {
  'a long header': () => `X-A: ${filled('a', longestHead)}\r\n`,
  'many headers': () => filled('X: a\r\n', longestHead),
  'many cookies': () => `Cookie: ${filled('a=b; ', longestHead)}\r\n`,
  'many sessions in a cookie': () => `Cookie: ${filled('corral_session=a; ', longestHead)}\r\n`,
  'forwarded by many': () => `X-Forwarded-For: ${filled('1.1.1.1,', longestHead)}\r\n`,
  'a wrong password': (count: number) => `Authorization: Basic ${btoa(`admin:${count}`)}\r\n`,
  'an unknown user': (count: number) => `Authorization: Basic ${btoa(`user-${count}:a`)}\r\n`,
  'a long password': () => `Authorization: Basic ${btoa(`admin:${filled('a', 11_000)}`)}\r\n`,
  'a wrong token': (count: number) => `Authorization: Bearer corral_${String(count).padStart(43, 'a')}\r\n`,
  'a long token': () => `Authorization: Bearer ${filled('a', longestHead)}\r\n`,
  'a token of three parts': () => `Authorization: Bearer ${filled('a.', longestHead)}\r\n`,
};
const paths = {
  'a long path': `/v0/${filled('a/', longestHead)}`,
  'the path of a port': `/v0/switch/s/port/${filled('a/', longestHead)}`,
  'an escaped path': `/v0/switch/s/port/${filled('%2F', longestHead)}`,
};

/** All of them. Most need no credentials. */
export const hostileRequests: readonly HostileRequest[] = [
  ...Object.entries(queries).flatMap(([what, unit]): HostileRequest[] => [
    { what, bytes: () => get(`/v0/events?${filled(unit, longestHead)}`) },
    { what: `${what}, authenticated`, bytes: () => get(`/v0/events?${filled(unit, longestHead)}`, admin) },
  ]),
  ...Object.entries(bodies).flatMap(([what, body]): HostileRequest[] => [
    { what, bytes: () => put('/v0/auth/basic/user/u', body, '') },
    { what: `${what}, authenticated`, bytes: () => put('/v0/auth/basic/user/u', body, admin) },
  ]),
  { what: 'a body in pieces of one byte', bytes: () => putInPieces('/v0/auth/basic/user/u', 200_000, '') },
  {
    what: 'a body in pieces of one byte, authenticated',
    bytes: () => putInPieces('/v0/auth/basic/user/u', 200_000, admin),
  },
  ...Object.entries(heads).map(([what, head]): HostileRequest => ({
    what,
    bytes: (count) => get('/v0/projects', head(count)),
  })),
  ...Object.entries(paths).map(([what, path]): HostileRequest => ({ what, bytes: () => get(path, admin) })),
];
