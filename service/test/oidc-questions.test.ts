import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openIdLine } from '../src/auth/oidc/line.ts';
import { engines } from './support/engines.ts';
import { type OidcSite, signed, startOidcSite } from './support/oidc.ts';
import { loginEnv } from './support/oidc-login.ts';
import { refusal } from './support/shared.ts';

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
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<OidcSite> => {
    const site = await startOidcSite(engine, env);
    onTestFinished(() => site.close());
    return site;
  };
  const someone = async ({ oidc, as }: OidcSite, sub: string) => {
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
    const site = await start();
    expect((await (await someone(site, 'first'))()).status).toBe(200);
    const second = await someone(site, 'second');
    pass(5 * minuteMs - 20_000);
    expect((await second()).status).toBe(200);
    site.oidc.rotate('go');
    pass(20_000);
    expect(await refusal(second())).toBe('401 AuthorizationError');
  });

  it('keys that it has not published for a day are no longer valid', async () => {
    const { pass } = clocks();
    const site = await start();
    const ada = await someone(site, 'ada');
    expect((await ada()).status).toBe(200);
    await site.oidc.stop();
    pass(23 * hourMs);
    expect((await ada()).status).toBe(200);
    pass(hourMs);
    expect(await refusal(ada())).toBe('503 UnavailableError');
    await site.oidc.restart();
    pass(minuteMs);
    expect((await ada()).status).toBe(200);
  });

  it('while it hangs, nobody whose key is known waits for it twice', async () => {
    const { pass } = clocks();
    const site = await start();
    const ada = await someone(site, 'ada');
    expect((await ada()).status).toBe(200);
    const complaints = () => site.service.log.join('').split('failed to fetch JWKS').length - 1;
    site.oidc.misbehave(/^/, { kind: 'hang' });
    pass(6 * minuteMs);
    expect((await ada()).status).toBe(200);
    expect(complaints()).toBe(1);
    const asked = site.oidc.asked.length;
    pass(minuteMs);
    expect((await ada()).status).toBe(200);
    expect(complaints()).toBe(1);
    await expect.poll(() => site.oidc.asked.length).toBeGreaterThan(asked);
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
    const line = openIdLine({ issuer, ca: null, timeoutMs: 30_000 });
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
