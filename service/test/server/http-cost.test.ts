import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { raw, rawBytes } from '../support/http/raw-request.ts';
import { sharedService } from '../support/services/shared-service.ts';

/** What a request may cost, in processor time of the whole process: a tenth of what the cheapest attack once did. */
const mostMs = 500;
/** More than any answer to a mistake needs. */
const mostBytes = 9_000;

/** Fills what a request line and its headers may hold together. */
const fill = (unit: string, length = 15_000): string => unit.repeat(Math.floor(length / unit.length));
const fields = (count: number, name: (index: number) => string): string =>
  `{${Array.from({ length: count }, (_, index) => `"${name(index)}":1`).join(',')}}`;

const lines: readonly (readonly [string, string, Record<string, string>])[] = [
  ['one parameter, again and again', `/nodes/free?${fill('a&')}`, {}],
  ['many parameters', `/nodes/free?${Array.from({ length: 2_500 }, (_, index) => index.toString(36)).join('&')}`, {}],
  ['a parameter with a long name', `/nodes/free?${fill('a')}`, {}],
  ['percent signs in the query', `/nodes/free?${fill('%')}`, {}],
  ['encoded names in the query', `/nodes/free?${fill('%41&')}`, {}],
  ['a long path', `/${fill('a/')}`, {}],
  ['percent signs in the path', `/node/${fill('%25')}`, {}],
  ['a port name of slashes', `/switch/s/port/${fill('/')}`, {}],
  ['a port name of verbs', `/switch/s/port/${fill('/revert')}`, {}],
  ['many cookies', '/nodes/free', { cookie: fill('corral_session=a;') }],
  ['a cookie of spaces', '/nodes/free', { cookie: fill(' ') }],
  ['a bearer token of dots', '/nodes/free', { authorization: `Bearer ${fill('.')}` }],
  ['a bearer token after spaces', '/nodes/free', { authorization: `Bearer ${fill(' ')}x y` }],
  [
    'a password of colons',
    '/nodes/free',
    { authorization: `Basic ${Buffer.from(fill(':', 10_000)).toString('base64')}` },
  ],
  ['a list of addresses', '/nodes/free', { 'x-forwarded-for': fill('1,') }],
  ['a forwarded host of dots', '/nodes/free', { 'x-forwarded-host': fill('a.') }],
  ['an origin', '/nodes/free', { origin: `http://${fill('a.')}` }],
  ['a host', '/nodes/free', { host: fill('a.') }],
];

const bodies: readonly (readonly [string, string])[] = [
  ['120,000 unknown fields', fields(120_000, (index) => index.toString(36))],
  [
    'as many unknown fields as a body may hold values',
    fields(19_999, (index) => `${index.toString(36)}${'x'.repeat(40)}`),
  ],
  ['unknown fields with long names', fields(200, (index) => `${index}${'x'.repeat(5_000)}`)],
  ['numbers as names', fields(100_000, (index) => String(index))],
  ['half a million brackets', `{"obmd":${'['.repeat(500_000)}${']'.repeat(500_000)}}`],
  ['a list that does not end', `{"obmd":[${'{},'.repeat(300_000)}`],
  ['a long text', `{"obmd":"${' '.repeat(1_000_000)}"}`],
  ['a long name', `{"${'\\u0000'.repeat(150_000)}":1}`],
];

const costOf = async <T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly ms: number }> => {
  const before = process.cpuUsage();
  const answer = await work();
  const { user, system } = process.cpuUsage(before);
  return { answer, ms: (user + system) / 1000 };
};

describe.each(engines)('a request that is expensive to read, on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_TRUSTED_PROXIES: '127.0.0.1' });

  beforeAll(async () => {
    // The first request of all compiles what it needs.
    await raw(service().url, {
      method: 'PUT',
      path: '/node/costly',
      headers: service().admin.headers,
      body: '{"a":1}',
    });
    await raw(service().url, { method: 'GET', path: '/nodes/free?a=1&a=2' });
  });

  it.each(lines)('costs little before anybody knows who asks: %s', async (_, path, headers) => {
    const { answer, ms } = await costOf(() => raw(service().url, { method: 'GET', path, headers }));
    expect(answer.status).toBeGreaterThanOrEqual(200);
    expect(answer.text.length, answer.text.slice(0, 200)).toBeLessThan(mostBytes);
    expect(ms).toBeLessThan(mostMs);
  });

  it.each(bodies)('costs little, and its answer is short: %s', async (_, body) => {
    const { headers } = service().admin;
    const { answer, ms } = await costOf(() =>
      raw(service().url, { method: 'PUT', path: '/node/costly', headers, body }),
    );
    expect(answer.status, answer.text.slice(0, 200)).toBe(400);
    expect(answer.text.length, answer.text.slice(0, 200)).toBeLessThan(mostBytes);
    expect(ms).toBeLessThan(mostMs);
  });

  it('is refused if it comes in very many pieces, and read if in many', async () => {
    const inPieces = async (count: number): Promise<string> => {
      const head = `PUT /v0/project/pieces${count} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
      const { authorization } = service().admin.headers;
      const pieces = `${'1\r\n \r\n'.repeat(count)}2\r\n{}\r\n0\r\n\r\n`;
      return rawBytes(
        service().url,
        `${head}Authorization: ${authorization ?? ''}\r\nTransfer-Encoding: chunked\r\n\r\n${pieces}`,
      );
    };
    expect(await inPieces(5_000)).toMatch(/^HTTP\/1.1 200 /);
    const refused = await inPieces(20_000);
    expect(refused).toMatch(/^HTTP\/1.1 400 /);
    expect(refused).toContain('the body arrives in more than 10000 chunks; send larger chunks');
  });

  it('before anybody knows who asks has a small body, or none', async () => {
    const headers = { origin: service().url };
    const body = JSON.stringify({ username: 'a', password: 'b', more: 'x'.repeat(20_000) });
    const answer = await raw(service().url, { method: 'POST', path: '/auth/session', headers, body });
    expect(answer.status, answer.text).toBe(413);
  });

  it('tells the first ten mistakes, and that there are more', async () => {
    const { headers } = service().admin;
    const told = async (count: number): Promise<string> => {
      const body = fields(count, (index) => `unknown${index}`);
      const answer = await raw(service().url, { method: 'PUT', path: '/project/costly', headers, body });
      return (JSON.parse(answer.text) as { msg: string }).msg;
    };
    expect((await told(10)).match(/field "/g)).toHaveLength(10);
    expect(await told(10)).not.toContain('there are more');
    expect(await told(11)).toMatch(/"unknown9" .*; these are the first ten errors, there are more$/);
    expect(await told(11)).not.toContain('"unknown10"');
  });

  it('gets the beginning of a name that it made up', async () => {
    const { headers } = service().admin;
    const body = JSON.stringify({ ['x'.repeat(300)]: 1 });
    const answer = await raw(service().url, { method: 'PUT', path: '/project/costly', headers, body });
    expect(answer.text).toContain(`field \\"${'x'.repeat(79)}…\\" is unknown`);
  });
});
