import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { eventually } from '../../service/test/support/services/world.ts';
import { type ConsoleConnection, openConsole } from '../src/cli/console/console-connection.ts';
import { createClient, none } from '../src/index.ts';

const never = new AbortController().signal;
const mib = 1024 * 1024;

/** Both ends of a console, without a service in between. `take` is the terminal. */
const consoleTo = async (
  take: (bytes: Buffer) => Promise<void>,
): Promise<{ readonly near: ConsoleConnection; readonly far: WebSocket }> => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const corral = createClient({ endpoint, credentials: none });
  const joined = once(server, 'connection');
  const listener = { opened: () => undefined, take };
  const near = await openConsole(corral, 'n1', listener, { timeoutMs: 60_000, signal: never });
  const [far] = (await joined) as [WebSocket];
  return { near, far };
};

/** A promise, and the way to keep it. */
const gate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
};

describe('a console whose terminal takes nothing', () => {
  it('is not read any further, and loses nothing', async () => {
    const reads = gate();
    const taken: Buffer[] = [];
    let atOnce = 0;
    const { near, far } = await consoleTo(async (bytes) => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      await reads.opened;
      taken.push(bytes);
      atOnce -= 1;
    });
    // Far more than systems keep for a connection.
    const pieces = Array.from({ length: 64 }, (_, index) => Buffer.alloc(mib, `${index} `));
    for (const piece of pieces) far.send(piece);
    // What has left stays the same for a while: nobody reads.
    let before = -1;
    let same = 0;
    await eventually(() => {
      same = far.bufferedAmount === before ? same + 1 : 0;
      before = far.bufferedAmount;
      return same === 20 || undefined;
    });
    expect(before).toBeGreaterThan(32 * mib);
    expect([atOnce, taken.length]).toEqual([1, 0]);

    reads.open();
    far.close(1000);
    expect(await near.ended).toEqual({ kind: 'over' });
    expect(Buffer.concat(taken).equals(Buffer.concat(pieces))).toBe(true);
  });
});

describe('a console whose service is silent', () => {
  afterEach(() => vi.useRealTimers());
  const fakeTimers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  /** Turns of the event loop, in which what was sent arrives. */
  const until = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) await new Promise((resolve) => setImmediate(resolve));
  };
  /** What is sent after this was answered is sent after everything before arrived. */
  const exchange = async (far: WebSocket, near: ConsoleConnection, word: string): Promise<void> => {
    let heard = '';
    far.on('message', (bytes: Buffer) => (heard += bytes.toString()));
    await near.type(Buffer.from(word));
    await until(() => heard.includes(word));
  };

  it('ends after 90 seconds without a sign of life, and not before', async () => {
    fakeTimers();
    const taken: string[] = [];
    const { near, far } = await consoleTo((bytes) => Promise.resolve(void taken.push(bytes.toString())));
    let isOver = false;
    void near.ended.then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(89_999);
    // A ping and words of the machine are signs of life.
    const answered = once(far, 'pong');
    far.ping();
    await answered;
    await vi.advanceTimersByTimeAsync(89_999);
    far.send('login:');
    await until(() => taken.length === 1);
    await vi.advanceTimersByTimeAsync(89_999);
    await exchange(far, near, 'still here');
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await near.ended).toEqual({ kind: 'lost', why: null });
  });

  it('is kept while the terminal takes nothing, and tells the service so', async () => {
    fakeTimers();
    const reads = gate();
    const taken: string[] = [];
    const { near, far } = await consoleTo(async (bytes) => {
      taken.push(bytes.toString());
      await reads.opened;
    });
    let pongs = 0;
    far.on('pong', () => (pongs += 1));
    far.send('login:');
    await until(() => taken.length === 1);
    await vi.advanceTimersByTimeAsync(600_000);
    await until(() => pongs === 60);
    reads.open();
    far.send('again');
    await until(() => taken.length === 2);
    far.close(1000);
    expect(await near.ended).toEqual({ kind: 'over' });
    expect(taken).toEqual(['login:', 'again']);
  });
});
