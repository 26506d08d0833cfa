import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { basic } from '../support/http/http-client.ts';
import { raw } from '../support/http/raw-request.ts';
import { bytesOf, RawConnection } from '../support/http/raw-connection.ts';
import { adminPassword } from '../support/services/service.ts';
import { refusal, sharedService } from '../support/services/shared-service.ts';
import { makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

const from = (address: string) => ({ 'x-forwarded-for': address });

describe.each(engines)('the rate limit on %s', (engine) => {
  const service = sharedService(engine, {
    CORRAL_TRUSTED_PROXIES: 'loopback',
    CORRAL_LIMITS_RATE: '1',
  });
  const ask = (headers: Record<string, string>, path = '/nodes/free') =>
    raw(service().url, { method: 'GET', path, headers });
  /** Far more than are allowed, at once. */
  const burst = (headers: () => Record<string, string>) =>
    Promise.all(Array.from({ length: 40 }, () => ask(headers())));
  const refusals = async (): Promise<number> => {
    const text = await (await fetch(`${service().url}/metrics`)).text();
    return Number(/^corral_http_refused_total\{why="rate"\} (\d+)/m.exec(text)?.[1] ?? 0);
  };

  it('lets some requests at once through, and refuses the rest with the time to wait', async () => {
    const before = await refusals();
    const answers = await burst(() => from('192.0.2.1'));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const refused = answers.filter(({ status }) => status === 429);
    for (const answer of refused) {
      expect(await refusal(Promise.resolve(answer))).toBe('429 TooManyRequestsError');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    }
    expect(await refusals()).toBe(before + refused.length);
    // Others have nothing to do with it.
    expect((await ask(from('192.0.2.2'))).status).toBe(200);
    // After a while it is let in again.
    await expect.poll(async () => (await ask(from('192.0.2.1'))).status, { timeout: 20_000, interval: 200 }).toBe(200);
  });

  it('comes before authentication, and before it is known what is asked', async () => {
    await burst(() => from('192.0.2.3'));
    const wrong = { ...from('192.0.2.3'), authorization: basic('admin', 'wrong') };
    const answers = await Promise.all([...Array.from({ length: 9 }, () => ask(wrong)), ask(wrong, '/none')]);
    expect(answers.map(({ status }) => status)).toContain(429);
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThan(9);
  });

  it('is for a whole /64 of IPv6', async () => {
    let count = 0;
    const answers = await burst(() => from(`2001:db8:0:7::${(count += 1).toString(16)}`));
    expect(answers.map(({ status }) => status)).toContain(429);
    expect((await ask(from('2001:db8:0:8::1'))).status).toBe(200);
  });

  it('is not escaped by inventing addresses before the one that the proxy saw', async () => {
    let count = 0;
    const answers = await burst(() => from(`198.51.100.${(count += 1)}, 192.0.2.4`));
    expect(answers.map(({ status }) => status)).toContain(429);
  });

  it.each([
    from('unknown'),
    from('192.0.2.8, unknown'),
    from('127.0.0.1'),
    from('::1'),
    { 'x-forwarded-proto': 'https' },
    { via: '1.1 proxy' },
  ])('is not escaped through a proxy that does not say from where: %j', async (headers) => {
    const answers = await burst(() => headers);
    expect(answers.map(({ status }) => status)).toContain(429);
  });

  it('is not for programs on this machine', async () => {
    const answers = await burst(() => ({}));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe.each(engines)('the limit of streams on %s', (engine) => {
  const service = sharedService(engine, {
    CORRAL_TRUSTED_PROXIES: 'loopback',
    CORRAL_LIMITS_RATE: '0',
    CORRAL_LIMITS_STREAMS_PER_ADDRESS: '2',
  });
  const Authorization = basic('admin', adminPassword);
  const open = (address: string): RawConnection =>
    new RawConnection(service().url).say(
      bytesOf('GET /v0/events/stream', { Authorization, 'X-Forwarded-For': address }),
    );
  const statusOf = async (line: RawConnection): Promise<string> =>
    (await line.hears(/^HTTP\/1.1 \d+ /)).text.slice(9, 12);

  it('is for each address, and for streams that are open', async () => {
    const [first, second] = [open('192.0.2.5'), open('192.0.2.5')];
    await Promise.all([first.hears('connected'), second.hears('connected')]);
    const third = open('192.0.2.5');
    expect(await statusOf(third)).toBe('429');
    await third.hears(/retry-after: 1[^]*TooManyRequestsError/);
    await open('192.0.2.6').hears('connected');
    first.hangUp();
    const again = async (): Promise<string> => {
      const line = open('192.0.2.5');
      const status = await statusOf(line);
      line.hangUp();
      return status;
    };
    await expect.poll(again, { timeout: 20_000 }).toBe('200');
  });

  it('counts consoles too, and what is refused for another reason only while it lasts', async () => {
    await makeProject(service(), 'red');
    await makeNode(service(), 'n1');
    await reserve(service(), 'red', 'n1');
    const alice = await makeUser(service(), 'alice', 'red');
    const headers = { ...alice.headers, ...from('192.0.2.7') };
    const look = async (more: object = {}): Promise<number> =>
      (await raw(service().url, { method: 'GET', path: '/node/n1/console', headers: { ...headers, ...more } })).status;
    const handshakes = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    for (let time = 0; time < 5; time += 1) {
      await expect.poll(() => look(), { timeout: 20_000 }).toBe(409);
      await expect.poll(() => look(handshakes), { timeout: 20_000 }).toBe(409);
    }
    const streams = [open('192.0.2.7'), open('192.0.2.7')];
    await Promise.all(streams.map((stream) => stream.hears('connected')));
    expect([await look(), await look(handshakes)]).toEqual([429, 429]);
  });

  it('is not for programs on this machine', async () => {
    const lines = Array.from({ length: 5 }, () =>
      new RawConnection(service().url).say(bytesOf('GET /v0/events/stream', { Authorization })),
    );
    await Promise.all(lines.map((line) => line.hears('connected')));
  });
});
