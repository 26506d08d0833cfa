import { describe, expect, it } from 'vitest';
import { certificateForSuite } from '../support/http/certificate.ts';
import { engines } from '../support/services/engines.ts';
import { httpFixture, tryEverything } from '../support/http/http-fixture.ts';
import { raw } from '../support/http/raw-request.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { Talker } from '../support/obm/console-talker.ts';
import { startTlsProxy } from '../support/http/tls-proxy.ts';

const soon = { timeout: 20_000, interval: 10 };
const said = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'corral.example' };

const strict = async ({ url }: Service, headers: Record<string, string>): Promise<string | null> => {
  const answer = await raw(url, { method: 'GET', path: '/nodes/free', headers });
  expect(answer.status, answer.text).toBe(200);
  return answer.headers.get('strict-transport-security');
};

describe.each(engines)('behind a proxy on %s', (engine) => {
  certificateForSuite();

  it('that ends TLS and is trusted, everything works as if it were not there', async () => {
    const scene = await httpFixture(engine, { CORRAL_TRUSTED_PROXIES: 'loopback' });
    await tryEverything(scene, await startTlsProxy(scene.service.url));
  });

  it('that is trusted, a page of another origin still opens no WebSocket', async () => {
    const { service, alice } = await httpFixture(engine, { CORRAL_TRUSTED_PROXIES: '127.0.0.0/8, fd00::/8' });
    const opened = async (headers: Record<string, string>): Promise<number | null> => {
      const talker = new Talker(service, alice, { headers });
      await expect.poll(() => talker.status, soon).not.toBeNull();
      return talker.status;
    };
    expect(await opened({ ...said, origin: 'https://corral.example' })).toBe(101);
    expect(await opened({ ...said, origin: 'http://corral.example' })).toBe(401);
    expect(await opened({ ...said, origin: 'https://evil.example' })).toBe(401);
    expect(await opened({ ...said, origin: service.url })).toBe(401);
    expect(await opened({ ...said, 'x-forwarded-host': '<>', origin: 'https://corral.example' })).toBe(401);
  });

  it('that is not trusted, what it says counts for nothing', async () => {
    const service = await serviceForTest(engine, { CORRAL_TRUSTED_PROXIES: '192.0.2.0/24', CORRAL_LIMITS_RATE: '1' });
    expect(await strict(service, said)).toBeNull();
    // Or the limit would be that of an address that anybody can claim.
    for (let time = 0; time < 10; time += 1) await strict(service, said);
    const alone = await serviceForTest(engine);
    expect(await strict(alone, said)).toBeNull();
  });

  it.each([
    '"><script>',
    ',,,,',
    'unknown',
    '999.1.1.1, ::g',
    '192.0.2.1\t',
    '[2001:db8::1]:4711',
    '192.0.2.1:80',
    '1, '.repeat(3_000),
    '%00%0d%0a',
  ])('that passes on garbage, nothing breaks: %j', async (garbage) => {
    const service = await serviceForTest(engine, { CORRAL_TRUSTED_PROXIES: 'loopback' });
    await strict(service, { 'x-forwarded-for': garbage });
    expect(await strict(service, { 'x-forwarded-proto': garbage })).toBeNull();
    await strict(service, { 'x-forwarded-host': garbage });
    expect(await strict(service, { 'x-forwarded-proto': 'http, HTTPS' })).toBe('max-age=15552000');
  });
});
