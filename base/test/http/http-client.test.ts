import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HttpClient, type HttpClientOptions } from '../../src/http/http-client.ts';

const soon = () => AbortSignal.timeout(5_000);

const clientOf = (options: Partial<HttpClientOptions> = {}): HttpClient => {
  const http = new HttpClient({ outbound: null, largestAnswer: 1000, connections: 2, keepAlive: false, ...options });
  onTestFinished(() => http.close());
  return http;
};

const serve = async (answer: RequestListener): Promise<{ origin: string; connections: () => number }> => {
  let connections = 0;
  const server = createServer(answer).on('connection', () => (connections += 1));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => connections };
};

const get = (origin: string, path = '/') => ({ method: 'GET', origin, path }) as const;

describe('an HTTP client', () => {
  it('sends to its origin alone, even if a path looks like another host', async () => {
    const { origin } = await serve((request, response) => void response.end(request.url));
    expect((await clientOf().request(get(origin, '//elsewhere.example/x?y=1'), soon())).text).toBe(
      '//elsewhere.example/x?y=1',
    );
  });

  it('follows no redirect', async () => {
    const { origin, connections } = await serve(
      (_, response) => void response.writeHead(302, { location: '/x' }).end(),
    );
    expect((await clientOf().request(get(origin), soon())).status).toBe(302);
    expect(connections()).toBe(1);
  });

  it('reads no answer that is too long', async () => {
    const { origin } = await serve((_, response) => void response.end('x'.repeat(1001)));
    await expect(clientOf().request(get(origin), soon())).rejects.toMatchObject({ kind: 'too long' });
  });

  it('tells a host that does not speak TLS from one that is not there', async () => {
    const { origin } = await serve((_, response) => void response.end('ok'));
    const fault = { kind: 'nonsense', code: 'ERR_SSL_WRONG_VERSION_NUMBER' };
    await expect(clientOf().request(get(origin.replace('http:', 'https:')), soon())).rejects.toMatchObject(fault);
    const nobody = { kind: 'not reached', code: 'ECONNREFUSED' };
    await expect(clientOf().request(get('http://127.0.0.1:1'), soon())).rejects.toMatchObject(nobody);
  });

  it('refuses what is no origin, as often as it is asked', async () => {
    const http = clientOf({ connections: 1 });
    for (const signal of [soon(), soon()]) {
      await expect(http.request(get('ftp://127.0.0.1'), signal)).rejects.toMatchObject({
        code: 'UND_ERR_INVALID_ARG',
      });
      expect(signal.aborted).toBe(false);
    }
  });

  it('keeps a connection for the next request only where it is configured to', async () => {
    const { origin, connections } = await serve((_, response) => void response.end('ok'));
    const kept = clientOf({ keepAlive: true });
    for (let i = 0; i < 3; i += 1) await kept.request(get(origin), soon());
    expect(connections()).toBe(1);
    const other = clientOf();
    for (let i = 0; i < 3; i += 1) await other.request(get(origin), soon());
    expect(connections()).toBe(4);
  });

  it('has no more connections than it may, and lets the next one in when a request ends or is given up', async () => {
    let [atOnce, most] = [0, 0];
    const { origin } = await serve((request, response) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      response.on('close', () => (atOnce -= 1));
      if (request.url !== '/hang') setTimeout(() => response.end('ok'), 5);
    });
    const http = clientOf({ connections: 2 });
    const hanging = new AbortController();
    const given = Promise.allSettled([1, 2, 3].map(() => http.request(get(origin, '/hang'), hanging.signal)));
    const answers = Promise.all([1, 2, 3, 4].map(() => http.request(get(origin), soon())));
    setTimeout(() => hanging.abort(), 50);
    expect((await given).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect((await answers).map(({ text }) => text)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(most).toBe(2);
  });

  it('resets the connection of a request that is given up', async () => {
    const ended: string[] = [];
    const controller = new AbortController();
    const server = createTcpServer((socket) => {
      socket.on('error', (error: NodeJS.ErrnoException) => ended.push(error.code ?? ''));
      socket.on('end', () => ended.push('closed'));
      socket.once('data', () => controller.abort(new Error('no longer wanted')));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(clientOf().request(get(origin), controller.signal)).rejects.toMatchObject({ kind: 'aborted' });
    await expect.poll(() => ended).toEqual(['ECONNRESET']);
  });

  it('sends nothing where that is forbidden by the time there is a connection', async () => {
    const { origin } = await serve((_, response) => void response.end('ok'));
    let asked = 0;
    const check = (): void => {
      asked += 1;
      // The third time: asked to begin with, when it is its turn, and when it is connected.
      if (asked === 3) throw new Error('the lease is lost');
    };
    await expect(clientOf().request({ ...get(origin), check }, soon())).rejects.toHaveProperty(
      'cause.message',
      'the lease is lost',
    );
    expect(asked).toBe(3);
  });

  it('sends nothing on a kept connection where that is forbidden by the time it is its turn', async () => {
    const asked: (string | undefined)[] = [];
    let answer = (): void => undefined;
    const { origin } = await serve((request, response) => {
      asked.push(request.url);
      if (request.url === '/slow') answer = () => void response.end('ok');
      else response.end('ok');
    });
    const http = clientOf({ connections: 1, keepAlive: true });
    const first = http.request(get(origin, '/slow'), soon());
    let isForbidden = false;
    const check = (): void => {
      if (isForbidden) throw new Error('forbidden');
    };
    const second = http.request({ ...get(origin, '/late'), check }, soon());
    second.catch(() => undefined);
    await vi.waitUntil(() => asked.length === 1);
    isForbidden = true;
    answer();
    await first;
    await expect(second).rejects.toThrow();
    await http.request(get(origin, '/next'), soon());
    expect(asked).toEqual(['/slow', '/next']);
  });

  it('gives an answer as it comes, which ends with the client', async () => {
    const { origin } = await serve((_, response) => void response.write('first'));
    const http = clientOf();
    const { status, body } = await http.stream(get(origin), soon());
    const closed = new Promise((resolve) => body.once('close', resolve));
    const [first] = (await once(body, 'data')) as [Buffer];
    expect([status, first.toString()]).toEqual([200, 'first']);
    await http.close();
    await closed;
    await expect(http.request(get(origin), soon())).rejects.toMatchObject({ kind: 'aborted' });
  });

  it('says nothing in its message of what was sent', async () => {
    const { origin } = await serve((_, response) => void response.socket?.destroy());
    await expect(clientOf().request(get(origin, '/?token=geheim'), soon())).rejects.toThrow(/^UND_ERR_SOCKET$/);
  });
});
