import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { acceptJsonBodies } from '@corral/base/http/json-body';
import { limitConnections, newServer } from '@corral/base/http/http-server';
import type { TlsFiles } from '@corral/base/http/tls-files';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { certificateForSuite } from '../support/http/certificate.ts';

const clients = 12;
const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
/** A body of 600 chunks. */
const body = `${'1\r\n \r\n'.repeat(600)}2\r\n{}\r\n0\r\n\r\n`;

/** From now on every look at the clock is 20 ms after the one before. */
const everythingTakesLong = (): void => {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 20));
  onTestFinished(() => clock.mockRestore());
};

/** Counts the turns of the event loop. */
const countTurns = (): (() => number) => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  onTestFinished(() => void (isOver = true));
  return () => turns;
};

/** In how many turns things happened, and the most that happened in one. */
class PerTurn {
  readonly #turn: () => number;
  readonly #counts = new Map<number, number>();

  constructor(turn: () => number) {
    this.#turn = turn;
  }

  count(): void {
    this.#counts.set(this.#turn(), (this.#counts.get(this.#turn()) ?? 0) + 1);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  get most(): number {
    return Math.max(0, ...this.#counts.values());
  }
}

const open = async (tls: TlsFiles | null) => {
  const turn = countTurns();
  const [requests, bodies] = [new PerTurn(turn), new PerTurn(turn)];
  const server = newServer(tls, {});
  const limits = { total: 100, perAddress: 0, isExempt: () => true, onEvent: () => undefined };
  limitConnections(server, limits);
  acceptJsonBodies(server, (message) => new Error(message));
  server.server.on('request', () => requests.count());
  server.post('/', () => {
    bodies.count();
    return { ok: true };
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.close());
  const { port } = server.server.address() as { port: number };
  const sockets = await Promise.all(
    Array.from({ length: clients }, async (): Promise<Socket> => {
      const socket =
        tls === null ? connect(port, '127.0.0.1') : connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
      onTestFinished(() => void socket.destroy());
      await once(socket, tls === null ? 'connect' : 'secureConnect');
      return socket;
    }),
  );
  /** All at once: the next turn of the event loop finds all of them. */
  const send = (text: string): void => sockets.forEach((socket) => void socket.write(text));
  const answers = (): Promise<unknown> =>
    Promise.all(sockets.map(async (socket) => expect(String(await once(socket, 'data'))).toMatch(/ 200 /)));
  return { requests, bodies, send, answers };
};

describe.each([['in plain'], ['in TLS']])('bodies that take long to read, %s', (how) => {
  const certificate = certificateForSuite();
  const files = (): TlsFiles | null => (how === 'in TLS' ? certificate() : null);

  it('are not begun on all connections in one turn of the event loop', async () => {
    const { requests, send, answers } = await open(files());
    everythingTakesLong();
    const answered = answers();
    send(`${head}${body}`);
    await answered;
    expect(requests.most).toBeLessThanOrEqual(2);
    // The connections can be used again.
    const again = answers();
    send(`${head}${body}`);
    await again;
    expect(requests.most).toBeLessThanOrEqual(2);
  });

  it('are not read on all connections in one turn of the event loop', async () => {
    const { requests, bodies, send, answers } = await open(files());
    send(head);
    await vi.waitFor(() => expect(requests.total).toBe(clients));
    everythingTakesLong();
    const answered = answers();
    send(body);
    await answered;
    expect(bodies.most).toBeLessThanOrEqual(2);
  });
});
