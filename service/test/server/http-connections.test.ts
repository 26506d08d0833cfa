import { describe, expect, it } from 'vitest';
import { certificateForSuite } from '../support/http/certificate.ts';
import { engines } from '../support/services/engines.ts';
import { basic } from '../support/http/http-client.ts';
import { bytesOf, RawConnection } from '../support/http/raw-connection.ts';
import { adminPassword, type Service, serviceForTest } from '../support/services/service.ts';
import { makeProject } from '../support/services/world.ts';

const Authorization = basic('admin', adminPassword);
const question = bytesOf('GET /v0/nodes/free');
const unfinished = 'GET /v0/nodes/free HTTP/1.1\r\nHost: corral\r\nX-';
const subscription = bytesOf('GET /v0/events/stream', { Authorization });

const isAnswered = async (line: RawConnection): Promise<void> => {
  await line.say(question).hears(/^HTTP\/1.1 200 /);
};

/** Lines opened one after the other, each only when the service has the one before. */
const inTurn = async (count: number, open: () => Promise<RawConnection>): Promise<RawConnection[]> => {
  const lines: RawConnection[] = [];
  while (lines.length < count) lines.push(await open());
  return lines;
};

const refusals = async ({ url }: Service, why: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text();
  return Number(new RegExp(`^corral_http_refused_total\\{why="${why}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
};

describe.each(engines)('connections on %s', (engine) => {
  const certificate = certificateForSuite();
  const start = (env: Record<string, string>) => serviceForTest(engine, { CORRAL_LIMITS_CONNECTIONS: '10', ...env });
  const kinds = [
    ['in plain', () => ({})],
    ['in TLS', () => certificate().env],
  ] as const;

  it.each(kinds)('that never finish their request make room for those that do, %s', async (_how, env) => {
    const service = await start(env());
    const { url } = service;
    const follower = await new RawConnection(url).say(subscription).hears('connected');
    const slow = Array.from({ length: 30 }, () => new RawConnection(url).say(unfinished));
    await expect.poll(() => slow.filter(({ state }) => state === 'closed').length, { timeout: 20_000 }).toBe(21);
    for (let round = 0; round < 5; round += 1) await isAnswered(new RawConnection(url));
    await expect.poll(() => slow.filter(({ state }) => state === 'closed').length, { timeout: 20_000 }).toBe(26);
    await makeProject(service, 'red');
    await follower.hears('project_create');
    expect(await refusals(service, 'made_room')).toBeGreaterThanOrEqual(26);
    expect(await refusals(service, 'connections')).toBe(0);
  });

  it('that do not even shake hands make room too', async () => {
    const { url } = await start(certificate().env);
    const silent = Array.from({ length: 12 }, () => new RawConnection(url, { handshake: 'none' }));
    await expect.poll(() => silent.filter(({ state }) => state === 'closed').length, { timeout: 20_000 }).toBe(2);
    await isAnswered(new RawConnection(url));
    await expect.poll(() => silent.filter(({ state }) => state === 'closed').length, { timeout: 20_000 }).toBe(3);
  });

  it.each(kinds)(
    'that only wait for their next request go after those, the longest idle first, %s',
    async (_how, env) => {
      const { url } = await start(env());
      const idle = await inTurn(9, async () => {
        const line = new RawConnection(url);
        await isAnswered(line);
        return line;
      });
      const slow = new RawConnection(url).say(unfinished);
      await isAnswered(new RawConnection(url));
      await slow.isClosed();
      expect(idle.map(({ state }) => state)).not.toContain('closed');
      // The first has something to ask again, so the second is the one that waited longest.
      const [first, second, ...others] = idle;
      await first?.say(question).hears(/200 OK[^]*200 OK/);
      await isAnswered(new RawConnection(url));
      await second?.isClosed();
      expect([first, ...others].map((line) => line?.state)).not.toContain('closed');
    },
  );

  it('that are all at work stay, and the newcomer goes', async () => {
    const service = await start({});
    const followers = await inTurn(10, () => new RawConnection(service.url).say(subscription).hears('connected'));
    const newcomer = new RawConnection(service.url).say(question);
    await newcomer.isClosed();
    expect(newcomer.text).toBe('');
    followers.pop()?.hangUp();
    await expect
      .poll(
        () =>
          makeProject(service, 'red').then(
            () => 'made',
            () => 'full',
          ),
        { timeout: 20_000 },
      )
      .toBe('made');
    for (const line of followers) await line.hears('project_create');
    followers.pop()?.hangUp();
    expect(await refusals(service, 'connections')).toBeGreaterThanOrEqual(1);
  });

  it('of one address are limited, and its own slow ones go first', async () => {
    const { url } = await serviceForTest(engine, {
      CORRAL_LIMITS_CONNECTIONS_PER_ADDRESS: '3',
      CORRAL_TRUSTED_PROXIES: '127.0.0.4',
    });
    const from = '127.0.0.2';
    const slow = await inTurn(3, () => new RawConnection(url, { from }).say(unfinished).isConnected());
    const other = new RawConnection(url, { from: '127.0.0.3' }).say(unfinished);
    await isAnswered(new RawConnection(url, { from }));
    await slow[0]?.isClosed();
    expect([slow[1], slow[2], other].map((line) => line?.state)).toEqual(['open', 'open', 'open']);
    const proxied = await inTurn(6, () => new RawConnection(url, { from: '127.0.0.4' }).say(unfinished).isConnected());
    await isAnswered(new RawConnection(url, { from: '127.0.0.4' }));
    expect(proxied.map(({ state }) => state)).not.toContain('closed');
  });

  it('that take too long to send a request get an error, and are closed', async () => {
    const [plain, tls] = [await start({}), await start(certificate().env)];
    const lines = [plain, tls].map(({ url }) => new RawConnection(url, { manners: 'rude' }).say(unfinished));
    for (const line of lines) {
      await line.hears(/^HTTP\/1.1 408 [^]*was not received in time/);
      await line.talksUntilCut();
    }
  });

  it('that never say anything do not hold up the end of the service', async () => {
    const service = await start(certificate().env);
    const silent = new RawConnection(service.url, { handshake: 'none' });
    const slow = new RawConnection(service.url).say(unfinished);
    await isAnswered(new RawConnection(service.url));
    await service.stop();
    await Promise.all([silent.isClosed(), slow.isClosed()]);
  });

  it.each([
    ['talk something else', 'HELO corral\r\n\r\n', 400],
    [
      'are refused a WebSocket',
      bytesOf('GET /v0/node/n/console', { Connection: 'upgrade', Upgrade: 'websocket' }),
      401,
    ],
  ])('of those who %s are closed, although they are not at the other end', async (_what, bytes, status) => {
    const { url } = await start({});
    const line = await new RawConnection(url, { manners: 'rude' }).say(bytes).hears(` ${status} `);
    await line.talksUntilCut();
  });

  it('that talk plainly where TLS is expected are closed, and nobody else notices', async () => {
    const { url } = await start(certificate().env);
    const line = new RawConnection(url, { handshake: 'none', manners: 'rude' }).say(question);
    await line.talksUntilCut();
    await isAnswered(new RawConnection(url));
  });
});
