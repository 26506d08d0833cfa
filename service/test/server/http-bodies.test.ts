import { describe, expect, it } from 'vitest';
import { certificateForSuite } from '../support/http/certificate.ts';
import { engines } from '../support/services/engines.ts';
import { basic } from '../support/http/http-client.ts';
import { bytesOf, RawConnection } from '../support/http/raw-connection.ts';
import { adminPassword, serviceForTest } from '../support/services/service.ts';

const Authorization = basic('admin', adminPassword);
const declared = 100_000_000;
const withLength = { 'Content-Length': String(declared) };
const inPieces = { 'Transfer-Encoding': 'chunked' };
const asPiece = (chunk: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);

/** Uploads that nobody wants to read to their end. */
const uploads: readonly (readonly [string, RegExp, string])[] = [
  ['with its length, too large', /^HTTP\/1.1 413 /, bytesOf('PUT /v0/node/a', { Authorization, ...withLength })],
  ['in pieces, too large', /^HTTP\/1.1 413 /, bytesOf('PUT /v0/node/a', { Authorization, ...inPieces })],
  ['with its length, without credentials', /^HTTP\/1.1 401 /, bytesOf('PUT /v0/node/a', withLength)],
  ['in pieces, without credentials', /^HTTP\/1.1 401 /, bytesOf('PUT /v0/node/a', inPieces)],
  ['to a call that there is not', /^HTTP\/1.1 404 /, bytesOf('POST /v0/none', inPieces)],
  ['to nowhere', /^HTTP\/1.1 404 /, bytesOf('POST /none', withLength)],
  ['by a method that there is not', /^HTTP\/1.1 405 /, bytesOf('POST /v0/nodes/free', inPieces)],
  ['to a path that cannot be decoded', /^HTTP\/1.1 400 /, bytesOf('PUT /v0/node/%zz', withLength)],
  ['to a call that takes none', /^HTTP\/1.1 200 /, bytesOf('GET /v0/nodes/free', inPieces)],
  ['to a page', /^HTTP\/1.1 200 /, bytesOf('GET /healthz', withLength)],
];

describe.each(engines)('a large body on %s', (engine) => {
  const certificate = certificateForSuite();

  it.each([
    ['in plain', () => ({})],
    ['in TLS', () => certificate().env],
  ] as const)('is answered early and not read to its end, %s', async (_how, env) => {
    const { url } = await serviceForTest(engine, env());
    for (const [what, answer, head] of uploads) {
      const line = new RawConnection(url, { manners: 'rude' }).say(head);
      const sent = await line.pour(declared, head.includes('chunked') ? asPiece : undefined);
      // What the system keeps on its way is a few megabytes.
      expect(sent, what).toBeLessThan(declared / 4);
      expect(line.text, what).toMatch(answer);
      expect(line.text.match(/HTTP\/1.1/g), what).toHaveLength(1);
      await line.talksUntilCut();
    }
    await new RawConnection(url).say(bytesOf('GET /v0/nodes/free')).hears(' 200 ');
  });

  it('is cut off at the limit, and what comes behind it is no request', async () => {
    const { url } = await serviceForTest(engine);
    const filler = ' '.repeat(1024 * 1024 + 1);
    const hidden = bytesOf('PUT /v0/project/hidden', { Authorization });
    const line = new RawConnection(url).say(
      `${bytesOf('PUT /v0/project/a', { Authorization, 'Content-Length': String(filler.length) })}${filler}${hidden}`,
    );
    await line.isClosed();
    expect(line.text).toMatch(/^HTTP\/1.1 413 [^]*connection: close/i);
    expect(line.text.match(/HTTP\/1.1/g)).toHaveLength(1);
    const projects = new RawConnection(url).say(bytesOf('GET /v0/projects', { Authorization, Connection: 'close' }));
    await projects.isClosed();
    expect(projects.text).toContain('[]');
  });

  it('is not asked for if it is too large, or its sender may not send it', async () => {
    const { url } = await serviceForTest(engine);
    const Expect = '100-continue';
    const tooLarge = new RawConnection(url).say(bytesOf('PUT /v0/node/a', { Authorization, Expect, ...withLength }));
    await tooLarge.hears(/^HTTP\/1.1 413 /);
    await tooLarge.isClosed();
    const nobody = new RawConnection(url).say(bytesOf('PUT /v0/node/a', { Expect, 'Content-Length': '10' }));
    await nobody.hears(/^HTTP\/1.1 401 /);
    await nobody.isClosed();
    const fine = new RawConnection(url).say(
      bytesOf('PUT /v0/project/a', { Authorization, Expect, 'Content-Length': '2' }),
    );
    await fine.hears(/^HTTP\/1.1 100 Continue/);
    await fine.say('{}').hears(/HTTP\/1.1 200 /);
    await fine.say(bytesOf('GET /v0/projects', { Authorization })).hears('"a"');
  });

  it('that is refused and short leaves the connection as it is', async () => {
    const { url } = await serviceForTest(engine);
    const line = new RawConnection(url).say(bytesOf('PUT /v0/project/a', { 'Content-Length': '2' }));
    await line.hears(/^HTTP\/1.1 401 /);
    await line.say(`{}${bytesOf('GET /v0/nodes/free')}`).hears(/HTTP\/1.1 200 /);
  });
});
