import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { engines } from '../support/services/engines.ts';
import { heldBytes } from '../support/vitest/memory.ts';
import { heard, labScene, letGo, mockScene, noInput, soon, talking } from '../support/obm/console-fixture.ts';
import { makeEnabledRack, makeRack, setObm } from '../support/services/obm-rack.ts';
import { raw } from '../support/http/raw-request.ts';
import { serviceForTest } from '../support/services/service.ts';
import { handshake, Talker } from '../support/obm/console-talker.ts';
import { done, makeProject, makeUser } from '../support/services/world.ts';

describe.each(engines)('who may open a console by WebSocket, on %s', (engine) => {
  const refused = async (talker: Talker): Promise<number | null> => {
    await soon(() => talker.status).not.toBeNull();
    expect(JSON.parse(talker.refusal)).toMatchObject({ msg: expect.any(String) as string });
    return talker.status;
  };

  it('is sent over HTTP, before there is a WebSocket', async () => {
    const { service, alice, obmd, machine } = await makeRack(engine);
    await makeProject(service, 'blue');
    const bob = await makeUser(service, 'bob', 'blue');
    const wrong = service.as('alice', 'not her password');
    expect(await refused(new Talker(service, service.anonymous))).toBe(401);
    expect(await refused(new Talker(service, wrong))).toBe(401);
    expect(await refused(new Talker(service, bob))).toBe(401);
    expect(await refused(new Talker(service, alice))).toBe(409);
    expect(await refused(new Talker(service, alice, { node: 'missing' }))).toBe(404);
    expect(await refused(new Talker(service, alice, { node: 'n1?token=1' }))).toBe(400);
    expect(obmd.calls).toEqual([]);
    await setObm(alice, true);
    expect(await refused(new Talker(service, bob))).toBe(401);
    machine.fault = { kind: 'status', status: 500 };
    expect(await refused(new Talker(service, alice))).toBe(502);
  });

  it('is a page of the service itself, and no other', async () => {
    const scene = await labScene(engine);
    const { service, alice } = scene;
    for (const origin of ['http://evil.example', 'null', `https://${new URL(service.url).host}.evil.example`, 'x']) {
      expect(await refused(new Talker(service, alice, { headers: { origin } })), origin).toBe(401);
    }
    expect(scene.isWatched()).toBe(false);
    const own = new Talker(service, alice, { headers: { origin: service.url } });
    await heard(scene, own);
    // Reading it disconnects whoever does, so that is no foreign page's business either.
    const reading = await raw(service.url, {
      method: 'GET',
      path: '/node/missing/console',
      headers: { ...alice.headers, origin: 'http://evil.example' },
    });
    expect(reading.status).toBe(401);
  });

  it('is nobody who cannot shake hands', async () => {
    const scene = await mockScene(engine);
    const { service, alice } = scene;
    for (const headers of [
      { ...handshake, 'sec-websocket-key': 'short' },
      { ...handshake, 'sec-websocket-version': '7' },
    ]) {
      const answer = await raw(service.url, {
        method: 'GET',
        path: '/node/n1/console',
        headers: { ...alice.headers, ...headers },
      });
      expect(answer.status).toBe(400);
      await letGo(scene);
    }
  });
});

describe.each(engines)('a request that asks for another protocol, on %s', (engine) => {
  it('is answered as if it had not, with its body and all', async () => {
    const { service, alice } = await makeRack(engine);
    for (const upgrade of ['h2c', 'websocket', 'TLS/1.0']) {
      const headers = { ...alice.headers, connection: 'Upgrade, HTTP2-Settings', upgrade };
      const listed = await raw(service.url, { method: 'GET', path: '/node/n1', headers });
      expect(listed, upgrade).toMatchObject({ status: 200, body: { name: 'n1' } });
      const body = JSON.stringify({ enabled: true });
      const length = { 'content-length': String(body.length) };
      const path = '/node/n1/obm';
      const put = await raw(service.url, { method: 'PUT', path, headers: { ...headers, ...length }, body });
      expect(put.status, upgrade).toBe(200);
      const streamed = await raw(service.url, {
        method: 'PUT',
        path,
        headers,
        body: [body.slice(0, 4), body.slice(4)],
      });
      expect(streamed.status, upgrade).toBe(200);
    }
  });
});

describe.each(engines)('typing on %s', (engine) => {
  it('arrives at the machine, byte by byte, and what it says comes back', async () => {
    const scene = await mockScene(engine);
    const talker = await talking(scene);
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    talker.type(every);
    await soon(() => scene.typed()).toBe(every.toString('latin1'));
    // The machine echoes, with a line feed after each carriage return.
    const echo = Buffer.from(every.toString('latin1').replaceAll('\r', '\r\n'), 'latin1');
    await soon(() => talker.bytes.includes(echo)).toBe(true);
    for (const word of ['one ', 'two ', 'three']) talker.type(word);
    await soon(() => scene.typed()).toContain('one two three');
  });

  it('goes nowhere if the daemon takes no input, and the client gets a note', async () => {
    const scene = await labScene(engine);
    const talker = await talking(scene);
    expect(talker.text.startsWith(noInput)).toBe(true);
    talker.type('hello?');
    await heard(scene, talker);
    expect(talker.isOpen).toBe(true);
  });

  it('no longer arrives once somebody else has the console', async () => {
    const scene = await mockScene(engine);
    const first = await talking(scene);
    const second = await talking(scene);
    first.type('from the first');
    second.type('from the second');
    await soon(() => scene.typed()).toBe('from the second');
    await soon(() => first.end).toEqual({ code: 4000, reason: 'another client has taken over this console' });
  });

  it('in messages that are too long ends the console', async () => {
    const scene = await mockScene(engine);
    const talker = await talking(scene);
    talker.type(Buffer.alloc(64 * 1024 + 1));
    await soon(() => talker.end?.code).toBe(1009);
    await letGo(scene);
  });
});

describe.each(engines)('a daemon that allows one console, on %s', (engine) => {
  it('is asked once, by those who want to type as well', async () => {
    const { service, alice, obmd, machine } = await makeEnabledRack(engine, { obmd: { secondConsole: 'refuse' } });
    for (let count = 1; count <= 5; count += 1) {
      const talker = new Talker(service, alice);
      await soon(() => talker.text).toBe(noInput);
      expect(talker.isOpen).toBe(true);
      expect(machine.isWatched).toBe(true);
      expect(obmd.calls.filter(({ path }) => path.endsWith('/console'))).toHaveLength(count);
    }
  });
});

describe.each(engines)('a daemon that does not read what is typed, on %s', (engine) => {
  it('costs no memory', async () => {
    const daemon = await deafDaemon();
    const service = await serviceForTest(engine);
    await done(service.admin.put('/node/n1', { obmd: { uri: daemon.uri, admin_token: 'any' } }));
    await setObm(service.admin, true);
    const talker = new Talker(service, service.admin);
    await soon(() => talker.status).toBe(101);
    const before = heldBytes();
    const typed = Buffer.alloc(32 * 1024, 'all work and no play\r');
    for (let count = 0; count < 2_048; count += 1) await talker.hasTyped(typed);
    expect(talker.isOpen).toBe(true);
    // Of 64 MB: what the sockets on the way hold, and no more.
    expect(heldBytes() - before).toBeLessThan(32 * 1024 * 1024);
  });
});

/** A daemon that gives a console to everybody, and then never reads a byte. */
const deafDaemon = async (): Promise<{ readonly uri: string }> => {
  const server = createServer((_request, response) => response.end(JSON.stringify({ token: 'a-token' })));
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.pause());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    server.close();
  });
  return { uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/node/n1` };
};
