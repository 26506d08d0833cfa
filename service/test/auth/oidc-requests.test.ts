import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { oidcHttpClient } from '../../src/auth/oidc/oidc-http-client.ts';
import { engines } from '../support/services/engines.ts';
import { type OidcFixture, signed, startOidcFixture } from '../support/identity/oidc-fixture.ts';
import { loginEnv } from '../support/identity/oidc-browser-login.ts';
import { refusal } from '../support/services/shared-service.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Clocks that the test puts forward. */
const clocks = (): { pass: (ms: number) => void } => {
  let passed = 0;
  const [monotonic, date] = [performance.now.bind(performance), Date.now.bind(Date)];
  const spies = [
    vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + passed),
    vi.spyOn(Date, 'now').mockImplementation(() => date() + passed),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return { pass: (ms) => void (passed += ms) };
};

describe.each(engines)('how an OpenID provider is asked on %s:', (engine) => {
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<OidcFixture> => {
    const installation = await startOidcFixture(engine, env);
    onTestFinished(() => installation.close());
    return installation;
  };
  const someone = async ({ oidc, as }: OidcFixture, sub: string) => {
    const client = as(await signed(oidc, { claims: { sub } }));
    return () => client.get('/nodes/free');
  };

  it('once a minute what it is, however many begin to log in', async () => {
    const { pass } = clocks();
    const { oidc, service } = await start(loginEnv);
    const begin = async (): Promise<number> =>
      (await fetch(`${service.url}/auth/oidc/login`, { redirect: 'manual' })).status;
    expect(new Set(await Promise.all(Array.from({ length: 30 }, begin)))).toEqual(new Set([303]));
    expect(await begin()).toBe(303);
    expect(oidc.asked).toEqual(['GET /.well-known/openid-configuration']);
    pass(minuteMs);
    expect(await begin()).toBe(303);
    expect(oidc.asked).toHaveLength(2);
  });

  it('a token is remembered no longer than the keys are', async () => {
    const { pass } = clocks();
    const installation = await start();
    expect((await (await someone(installation, 'first'))()).status).toBe(200);
    const second = await someone(installation, 'second');
    pass(5 * minuteMs - 20_000);
    expect((await second()).status).toBe(200);
    installation.oidc.rotate('go');
    pass(20_000);
    expect(await refusal(second())).toBe('401 AuthorizationError');
  });

  it('keys that it has not published for a day are no longer valid', async () => {
    const { pass } = clocks();
    const installation = await start();
    const ada = await someone(installation, 'ada');
    expect((await ada()).status).toBe(200);
    await installation.oidc.stop();
    pass(23 * hourMs);
    expect((await ada()).status).toBe(200);
    pass(hourMs);
    expect(await refusal(ada())).toBe('503 UnavailableError');
    await installation.oidc.restart();
    pass(minuteMs);
    expect((await ada()).status).toBe(200);
  });

  it('while it hangs, nobody whose key is known waits for it twice', async () => {
    const { pass } = clocks();
    const installation = await start();
    const ada = await someone(installation, 'ada');
    expect((await ada()).status).toBe(200);
    const complaints = () => installation.service.log.join('').split('failed to fetch JWKS').length - 1;
    installation.oidc.misbehave(/^/, { kind: 'hang' });
    pass(6 * minuteMs);
    expect((await ada()).status).toBe(200);
    expect(complaints()).toBe(1);
    const asked = installation.oidc.asked.length;
    pass(minuteMs);
    expect((await ada()).status).toBe(200);
    expect(complaints()).toBe(1);
    await expect.poll(() => installation.oidc.asked.length).toBeGreaterThan(asked);
  });
});

describe('the line to an OpenID provider', () => {
  it('is few connections, however much is asked at once', async () => {
    const waiting = new Set<ServerResponse>();
    let [most, isOpen] = [0, false];
    const server = createServer((_request, response) => {
      waiting.add(response.once('close', () => waiting.delete(response)));
      most = Math.max(most, waiting.size);
      if (isOpen) response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const line = oidcHttpClient({ issuer, ca: null, timeoutMs: 30_000 });
    onTestFinished(async () => {
      await line.close();
      server.close();
    });
    const asked = Array.from({ length: 100 }, () => line.ask(issuer, { method: 'GET', headers: {} }));
    await expect.poll(() => waiting.size, { timeout: 20_000 }).toBe(16);
    isOpen = true;
    for (const response of waiting) response.end('{}');
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    expect(most).toBe(16);
  });
});
