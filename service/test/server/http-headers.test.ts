import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { basic } from '../support/http/http-client.ts';
import { bytesOf, RawConnection } from '../support/http/raw-connection.ts';
import { adminPassword } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';

const Authorization = basic('admin', adminPassword);
const close = { Connection: 'close' };

const expected: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};
const closedPolicy = "default-src 'none'; frame-ancestors 'none'";

/** Requests of every kind, and the status of their answers. */
const requests: readonly (readonly [string, number, string])[] = [
  ['a call', 200, bytesOf('GET /v0/nodes/free', close)],
  ['a call without the right to it', 401, bytesOf('GET /v0/projects', close)],
  ['a call with wrong credentials', 401, bytesOf('GET /v0/nodes/free', { Authorization: basic('a', 'b'), ...close })],
  ['a missing object', 404, bytesOf('GET /v0/node/none', close)],
  ['a call that there is not', 404, bytesOf('POST /v0/none', close)],
  ['a method that there is not', 405, bytesOf('POST /v0/nodes/free', close)],
  ['an unusual method', 404, bytesOf('PROPFIND /v0/nodes/free', close)],
  ['a preflight', 405, bytesOf('OPTIONS /v0/nodes/free', { Origin: 'http://a.example', ...close })],
  [
    'a body that is no JSON',
    400,
    `${bytesOf('PUT /v0/project/a', { Authorization, 'Content-Length': '1', ...close })}x`,
  ],
  ['a body that is too large', 413, bytesOf('PUT /v0/project/a', { Authorization, 'Content-Length': '9999999' })],
  ['a path that cannot be decoded', 400, bytesOf('GET /v0/node/%zz', close)],
  ['a request without a host', 400, 'GET /v0/nodes/free HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['something else than HTTP', 400, 'HELO corral\r\n\r\n'],
  ['headers that are too long', 431, bytesOf('GET /v0/nodes/free', { 'X-Long': 'x'.repeat(20_000) })],
  [
    'a WebSocket that is refused',
    401,
    bytesOf('GET /v0/node/n/console', { Connection: 'upgrade', Upgrade: 'websocket' }),
  ],
  ['health', 200, bytesOf('GET /healthz', close)],
  ['readiness', 200, bytesOf('GET /readyz', close)],
  ['metrics', 200, bytesOf('GET /metrics', close)],
  ['the OpenAPI document', 200, bytesOf('GET /openapi.json', close)],
];

const headersOf = (answer: string): Headers => {
  const [head = ''] = answer.split('\r\n\r\n');
  const lines = head.split('\r\n').slice(1);
  return new Headers(lines.map((line): [string, string] => [line.split(': ')[0] ?? '', line.replace(/^[^:]*: /, '')]));
};

describe.each(engines)('security headers on %s', (engine) => {
  const service = sharedService(engine);

  it.each(requests)('are on the answer to %s', async (_what, status, bytes) => {
    const line = new RawConnection(service().url).say(bytes);
    await line.isEnded();
    expect(line.text.split('\r\n')[0]).toContain(` ${status} `);
    const headers = headersOf(line.text);
    for (const [name, value] of Object.entries(expected)) expect(headers.get(name), name).toBe(value);
    expect(headers.get('content-security-policy')).toBe(closedPolicy);
    expect(headers.get('cache-control')).toBe('no-store');
    // A promise of TLS that is not kept would lock people out.
    expect(headers.get('strict-transport-security')).toBeNull();
    for (const name of headers.keys()) expect(name).not.toMatch(/^access-control|^server$|^x-powered-by$/);
  });

  it('are on streams of events', async () => {
    const { headers, body } = await fetch(`${service().url}/v0/events/stream`, { headers: { Authorization } });
    await body?.cancel();
    for (const [name, value] of Object.entries(expected)) expect(headers.get(name), name).toBe(value);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('let the pages have their own scripts, and styles by a nonce, and nothing else', async () => {
    const { headers } = await fetch(`${service().url}/`);
    for (const [name, value] of Object.entries(expected)) expect(headers.get(name), name).toBe(value);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w+/=]{24}'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
  });

  it('let the reference page have its own style and script, and nothing else', async () => {
    const page = await fetch(`${service().url}/reference`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    const text = await page.text();
    for (const [tag, directive] of [
      ['style', 'style-src'],
      ['script', 'script-src'],
    ] as const) {
      const found = [...text.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))].map(([, inside = '']) => inside);
      expect(found).toHaveLength(1);
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(found[0]));
      expect(policy).toContain(`${directive} 'sha256-${Buffer.from(digest).toString('base64')}';`);
    }
    expect(text).not.toMatch(/ (style|on\w+)="/);
  });
});
