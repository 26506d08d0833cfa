import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { networkIn, Networks } from '../../src/http/ip-address.ts';
import { addressKey, isOwnKey, prefixKey } from '../../src/http/address-key.ts';
import { Connections } from '../../src/http/connection-limits.ts';
import { isForwarded, tidyForwarded, trustIn } from '../../src/http/forwarded-headers.ts';
import { ConcurrencyLimit } from '../../src/http/concurrency-limit.ts';
import { RateLimit } from '../../src/http/rate-limit.ts';

describe('the key of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    [':nonsense:', 'none'],
    ['', ''],
  ])('of %s is %s', (address, key) => expect(addressKey(address)).toBe(key));

  it('is wider for a site of IPv6', () => {
    const keys = ['2001:db8:1:2:3:4:5:6', '2001:DB8:1::9', '2001:db8::1', '192.0.2.1', '::ffff:192.0.2.1'].map(
      prefixKey,
    );
    expect(keys).toEqual(['2001:db8:1::/48', '2001:db8:1::/48', '2001:db8:0::/48', '192.0.2.1', '192.0.2.1']);
  });

  it('tells who is on this machine', () => {
    for (const own of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
      expect(isOwnKey(addressKey(own))).toBe(true);
    for (const other of ['192.0.2.1', '2001:db8::1', '', 'nonsense']) expect(isOwnKey(addressKey(other))).toBe(false);
  });
});

describe('what a proxy says', () => {
  const tidied = (headers: Record<string, string>): Record<string, string | undefined> => {
    const tidy: Record<string, string | undefined> = { ...headers };
    tidyForwarded(tidy);
    return tidy;
  };

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['198.51.100.1, 192.0.2.1', '198.51.100.1, 192.0.2.1'],
    ['192.0.2.1:4711, [2001:db8::1]:80, [2001:db8::2]', '192.0.2.1, 2001:db8::1, 2001:db8::2'],
    ['192.0.2.1, unknown, 192.0.2.2', '192.0.2.2'],
    ['192.0.2.1, unknown', undefined],
    ['"><script>', undefined],
    [',,,', undefined],
    ['', undefined],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    [
      '192.0.2.1,'.repeat(100) + '192.0.2.2',
      [...Array.from({ length: 31 }, () => '192.0.2.1'), '192.0.2.2'].join(', '),
    ],
  ])('about addresses is read from its end: %j', (given, expected) => {
    expect(tidied({ 'x-forwarded-for': given })['x-forwarded-for']).toBe(expected);
  });

  it('about scheme and host is the last of it, if that makes sense', () => {
    const proto = (text: string) => tidied({ 'x-forwarded-proto': text })['x-forwarded-proto'];
    const host = (text: string) => tidied({ 'x-forwarded-host': text })['x-forwarded-host'];
    expect(['https', 'http, HTTPS', 'javascript', 'https,'].map(proto)).toEqual([
      'https',
      'https',
      undefined,
      undefined,
    ]);
    expect(['a.example', 'b, a.example:8443', '[2001:db8::1]:80', 'a b', 'a/b', '@'].map(host)).toEqual([
      'a.example',
      'a.example:8443',
      '[2001:db8::1]:80',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is known by any header that proxies add', () => {
    for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'])
      expect(isForwarded({ [name]: '' }), name).toBe(true);
    expect(isForwarded({ host: 'a.example', 'user-agent': 'curl' })).toBe(false);
  });

  it('counts if its address is among the trusted', () => {
    const trust = trustIn(new Networks(['10.0.0.0/8', 'fd00::/64'].flatMap((text) => networkIn(text) ?? [])));
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::7']) expect(trust(address)).toBe(true);
    for (const address of ['11.1.2.3', 'fd00:1::7', '', 'nonsense']) expect(trust(address)).toBe(false);
  });
});

describe('the rate limit', () => {
  it('lets twice the rate through at once, then the rate, and says how long to wait', () => {
    let now = 0;
    const limit = new RateLimit(10, () => now);
    const asked = (count: number) =>
      Array.from({ length: count }, () => limit.wait('a')).filter((wait) => wait === 0).length;
    expect(asked(50)).toBe(20);
    expect(limit.wait('a')).toBeCloseTo(0.1);
    expect(limit.wait('b')).toBe(0);
    now += 1000;
    expect(asked(50)).toBe(10);
    now += 60_000;
    expect(asked(50)).toBe(20);
  });

  it('remembers a bounded number of addresses, and the busy ones longest', () => {
    let now = 0;
    const limit = new RateLimit(1, () => now);
    for (let index = 0; index < 200_000; index += 1) limit.wait(`stranger ${index}`);
    expect(limit.size).toBeLessThanOrEqual(50_000);
    now += 10_000;
    limit.wait('a');
    limit.wait('a');
    for (let index = 0; index < 10_000; index += 1) limit.wait(`newcomer ${index}`);
    expect(limit.wait('a')).toBeGreaterThan(0);
  });
});

describe('places', () => {
  it('are given back once, however often that is said', () => {
    const places = new ConcurrencyLimit(2);
    const [first, second] = [places.take('a'), places.take('a')];
    expect(places.take('a')).toBeNull();
    first?.();
    first?.();
    const third = places.take('a');
    expect(third).not.toBeNull();
    expect(places.take('a')).toBeNull();
    expect(places.take('b')).not.toBeNull();
    second?.();
    third?.();
    expect(places.take('a')).not.toBeNull();
  });
});

describe('connections', () => {
  const patience = { uploadMs: 0, takenWithinMs: 50, sweepMs: 20 };
  const start = async (total: number, serve: Parameters<typeof createServer>[1]): Promise<[Server, Connections]> => {
    const server = createServer(serve);
    const connections = new Connections(server, {
      total,
      perAddress: 0,
      isExempt: () => false,
      onEvent: () => undefined,
      timeouts: patience,
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return [server, connections];
  };
  const say = (server: Server, text: string): Socket => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(text));
    onTestFinished(() => void socket.destroy());
    return socket.on('error', () => undefined);
  };

  it('of those who do not take their answer are closed', async () => {
    const [server, connections] = await start(10, (_request, response) => response.end(Buffer.alloc(64 * 1024 * 1024)));
    say(server, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n').pause();
    await expect.poll(() => connections.size, { timeout: 10_000 }).toBe(1);
    await expect.poll(() => connections.size, { timeout: 10_000 }).toBe(0);
  });

  it('of those whose answer is still being made are not', async () => {
    const [server, connections] = await start(10, (_request, response) => {
      response.write('a');
      setTimeout(() => response.end('b'), 500);
    });
    const socket = say(server, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    await expect.poll(() => heard, { timeout: 10_000 }).toContain('b\r\n');
    expect(connections.size).toBe(1);
  });

  it('on which an upload makes no progress go before those that wait for their answer', async () => {
    let asked = 0;
    const [server] = await start(2, () => (asked += 1));
    const upload = say(server, 'PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc');
    await expect.poll(() => asked, { timeout: 10_000 }).toBe(1);
    const waiting = say(server, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => asked, { timeout: 10_000 }).toBe(2);
    say(server, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(upload.resume(), 'close');
    await expect.poll(() => asked, { timeout: 10_000 }).toBe(3);
    expect(waiting.destroyed).toBe(false);
    const refused = say(server, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n').resume();
    await once(refused, 'close');
    expect(asked).toBe(3);
  });
});
