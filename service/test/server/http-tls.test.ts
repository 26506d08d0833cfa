import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import { labCertificate } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeAuthority, makeCertificate } from '../../../lab/src/switches/certificates.ts';
import { certificateForSuite } from '../support/http/certificate.ts';
import { engines } from '../support/services/engines.ts';
import { httpFixture, reading, tryEverything } from '../support/http/http-fixture.ts';
import { bytesOf, RawConnection } from '../support/http/raw-connection.ts';
import { serviceForTest } from '../support/services/service.ts';
import { Talker } from '../support/obm/console-talker.ts';
import { makeProject } from '../support/services/world.ts';

const soon = { timeout: 20_000, interval: 50 };

/** What the service shows to somebody who speaks at most this version. */
const shownAt = (
  url: string,
  maxVersion: SecureVersion = 'TLSv1.3',
): Promise<{ name: unknown; version: string | null }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const options = { host: hostname, port: Number(port), rejectUnauthorized: false, maxVersion };
    const socket = connectTls({ ...options, minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' }, () => {
      resolve({ name: socket.getPeerCertificate().subject.CN, version: socket.getProtocol() });
      socket.destroy();
    });
    socket.on('error', reject);
  });

describe.each(engines)('a service with a certificate on %s', (engine) => {
  const certificate = certificateForSuite();

  it('serves everything in TLS', async () => {
    const scene = await httpFixture(engine, certificate().env);
    expect(scene.service.url).toMatch(/^https:/);
    await tryEverything(scene, scene.service.url);
  });

  it('is believed by those who know its authority, and promises to stay with TLS', async () => {
    const { url } = await serviceForTest(engine, certificate().env);
    const headers = await new Promise((resolve, reject) => {
      const options = { ca: labCertificate, rejectUnauthorized: true, agent: false };
      request(`${url}/v0/nodes/free`, options, (response) => resolve(response.resume().headers))
        .on('error', reject)
        .end();
    });
    expect(headers).toHaveProperty('strict-transport-security', 'max-age=15552000');
    const malformed = new RawConnection(url).say('HELO\r\n\r\n');
    await malformed.hears(/^HTTP\/1.1 400 [^]*strict-transport-security: max-age/);
  });

  it('speaks TLS 1.2 and 1.3, and nothing older', async () => {
    const { url } = await serviceForTest(engine, certificate().env);
    expect((await shownAt(url)).version).toBe('TLSv1.3');
    expect((await shownAt(url, 'TLSv1.2')).version).toBe('TLSv1.2');
    for (const old of ['TLSv1.1', 'TLSv1'] as const) await expect(shownAt(url, old)).rejects.toThrow(/version|alert/i);
  });

  it('ignores expectations and offers of other protocols there too', async () => {
    const { url } = await serviceForTest(engine, certificate().env);
    const odd = { Expect: 'miracles', Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c' };
    const line = new RawConnection(url).say(bytesOf('GET /v0/nodes/free', odd));
    await line.hears(/^HTTP\/1.1 200 /);
    await line.say(bytesOf('GET /v0/nodes/free')).hears(/200 OK[^]*200 OK/);
  });

  it('ends streams and consoles when it stops, and does not take long', async () => {
    const { service, alice } = await httpFixture(engine, certificate().env);
    const talker = new Talker(service, alice, { headers: { origin: service.url } });
    await expect.poll(() => talker.status, soon).toBe(101);
    const events = await reading(`${service.url}/v0/events/stream`, alice);
    await expect.poll(() => events.text, soon).toContain('connected');
    await service.stop();
    await expect.poll(() => talker.end, soon).not.toBeNull();
  });

  it('takes up a renewed one, keeps the old one while the new one is wrong, and cuts nobody off', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'corral-renewal-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    await makeAuthority(directory);
    for (const name of ['first', 'second']) await makeCertificate(directory, name, `${name}.example.org`);
    const [cert, key] = [join(directory, 'live.pem'), join(directory, 'live.key')];
    const put = async (certOf: string, keyOf: string): Promise<void> => {
      await copyFile(join(directory, `${keyOf}.key`), key);
      await copyFile(join(directory, `${certOf}.pem`), cert);
    };
    await put('first', 'first');
    const service = await serviceForTest(engine, { CORRAL_TLS_CERT: cert, CORRAL_TLS_KEY: key });
    const events = await reading(`${service.url}/v0/events/stream`, service.admin);
    await expect.poll(() => events.text, soon).toContain('connected');

    await put('second', 'first');
    await expect.poll(() => service.log.join(''), soon).toContain('failed to reload the TLS certificate');
    expect((await shownAt(service.url)).name).toBe('first.example.org');
    await put('second', 'second');
    await expect.poll(async () => (await shownAt(service.url)).name, soon).toBe('second.example.org');
    await makeProject(service, 'red');
    await expect.poll(() => events.text, soon).toContain('project_create');
  });

  it('that does not go with its key does not start, and says so in one line', async () => {
    const { cert, key } = certificate();
    const directory = await mkdtemp(join(tmpdir(), 'corral-mismatch-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    await makeAuthority(directory);
    const nonsense = join(directory, 'nonsense.pem');
    await writeFile(nonsense, 'nonsense');
    for (const [badCert, badKey] of [
      [cert, join(directory, 'ca.key')],
      [nonsense, key],
      [join(directory, 'missing.pem'), key],
    ]) {
      const failed = await serviceForTest(engine, {
        CORRAL_TLS_CERT: badCert ?? '',
        CORRAL_TLS_KEY: badKey ?? '',
      }).then(
        () => 'it started',
        (error: unknown) => String(error),
      );
      expect(failed).toContain(`${badCert ?? ''} and ${badKey ?? ''} are not a matching certificate and key`);
      expect(failed.split('\n')).toHaveLength(1);
    }
  });
});
