import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pagePaths } from '../support/pages.ts';
import { sharedService } from '../support/services/shared-service.ts';

/** Without the client's own decompression. */
const raw = async (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
  const { request } = await import('node:http');
  return new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; bytes: Buffer }>(
    (resolve, reject) => {
      request(url, { headers, method }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }),
        );
      })
        .on('error', reject)
        .end();
    },
  );
};

/** Addresses as the pages' own router has them, with something for each parameter. */
const addresses = (): readonly string[] => pagePaths().map((path) => path.replaceAll(/\$\w+/g, 'some%20thing'));

describe('the pages for browsers', () => {
  const service = sharedService('sqlite');

  it('are one page, at every address that their router knows', async () => {
    const all = addresses();
    expect(all).toContain('/nodes/some%20thing');
    for (const path of all) {
      const { status, headers, bytes } = await raw(`${service().url}${path}`, { accept: 'text/html,*/*;q=0.8' });
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect(bytes.toString()).toContain('<div id="root">');
    }
    expect((await raw(`${service().url}/assets/../../package.json`)).status).toBe(404);
  });

  it('answer a browser at an address of no page, with 404; everything else gets JSON there', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const page = await raw(`${service().url}/no-such-page/at-all`, { accept });
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.headers).toMatchObject({ vary: 'accept', 'x-frame-options': 'DENY', 'cache-control': 'no-store' });
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    expect(page.bytes.toString()).toContain('<div id="root">');
    const refused = [
      ['/no-such-page', '*/*', 'GET'],
      ['/no-such-page', 'application/json', 'GET'],
      ['/no-such-page', accept, 'POST'],
      ['/v0/no-such-call', accept, 'GET'],
      ['/V0/nodes/all', accept, 'GET'],
      ['//v0/nodes/all', accept, 'GET'],
    ] as const;
    for (const [path, accepted, method] of refused) {
      const answer = await raw(`${service().url}${path}`, { accept: accepted }, method);
      expect([path, answer.status, JSON.parse(answer.bytes.toString())]).toEqual([
        path,
        404,
        { type: 'NotFoundError', msg: `no route ${method} ${path}; all calls are under /v0, see /reference` },
      ]);
    }
  });

  it('are not the answer to a script that left out /v0', async () => {
    for (const path of ['/projects', '/nodes/all', '/switches']) {
      const { status, bytes } = await raw(`${service().url}${path}`, { accept: '*/*' });
      expect([status, JSON.parse(bytes.toString())]).toEqual([
        404,
        { type: 'NotFoundError', msg: `no route GET ${path}; all calls are under /v0, see /reference` },
      ]);
    }
  });

  it('allow nothing from elsewhere, and styles of their own by a nonce that nobody knows before', async () => {
    const seen = new Set<string>();
    while (seen.size < 3) {
      const before = seen.size;
      const { headers, bytes } = await raw(`${service().url}/`);
      const policy = String(headers['content-security-policy']);
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
      seen.add(nonce);
      expect(seen.size).toBe(before + 1);
      expect(bytes.toString()).toContain(`nonce="${nonce}"`);
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(policy).toContain("default-src 'none'");
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
    }
  });

  it('have assets that are kept for ever, and sent as small as the browser can take them', async () => {
    const index = (await raw(`${service().url}/`)).bytes.toString();
    const asset = /src="(\/assets\/[^"]+\.js)"/.exec(index)?.[1] ?? '';
    const url = `${service().url}${asset}`;
    const plain = await raw(url);
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'accept-encoding',
    });
    const br = await raw(url, { 'accept-encoding': 'gzip, deflate, br;q=0.9' });
    expect(br.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
    const gzip = await raw(url, { 'accept-encoding': 'gzip, br;q=0' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
  });

  it('have the notices of what is inside, and say where the source of what asks for it is', async () => {
    const notices = (await raw(`${service().url}/licences.md`)).bytes.toString();
    expect(notices).toMatch(/^## @novnc\/novnc - [\d.]+ \(MPL-2\.0\)$/m);
    expect(notices).toMatch(/^Not changed\. Its source: https:\/\/registry\.npmjs\.org\/@novnc\/novnc\//m);
    for (const text of ['Mozilla Public License Version 2.0', 'Vitaly Puzrin', 'Jef Poskanzer'])
      expect(notices).toContain(text);
  });

  it('bring the viewer of screens only when it is opened', async () => {
    const index = (await raw(`${service().url}/`)).bytes.toString();
    const main = /src="(\/assets\/[^"]+\.js)"/.exec(index)?.[1] ?? '';
    const first = (await raw(`${service().url}${main}`)).bytes.toString();
    expect(first).toMatch(/headnode-screen-[\w-]+\.js/);
    expect(`${index}${first}`).not.toContain('disconnected RFB object');
    const viewer = /assets\/headnode-screen-[\w-]+\.js/.exec(first)?.[0] ?? '';
    expect((await raw(`${service().url}/${viewer}`)).bytes.toString()).toContain('disconnected RFB object');
  });

  it('begin with at most 300 kB', async () => {
    const index = (await raw(`${service().url}/`)).bytes.toString();
    const first = [...index.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(first.length).toBeGreaterThan(2);
    const sizes = await Promise.all(
      first.map(async (path) => (await raw(`${service().url}${path}`, { 'accept-encoding': 'gzip' })).bytes.length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000);
  });
});
