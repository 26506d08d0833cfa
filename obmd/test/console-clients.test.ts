import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { daemonForTest, done, refusal } from './support/daemon.ts';
import { consoleOf, makeScriptedNode } from './support/scripted-bmc-node.ts';
import { makeNode, newTenant, type Tenant } from './support/token-holder.ts';
import { converse, openStream, socketUrl, soon, watch, ways } from './support/console-watchers.ts';

describe('a WebSocket', () => {
  it('carries what is typed to the machine, and nobody types who has lost the console', async () => {
    const daemon = await daemonForTest('sqlite');
    const { tenant, machine } = await makeNode(daemon, 'n1', 'tick_ms=60000');
    machine.powerOn();
    const first = await converse(tenant);
    first.type('ls -l\r');
    await soon(() => machine.lastTyped).toBe('ls -l\r');
    await soon(() => first.text).toContain('ls -l\r\n');
    const second = await watch(tenant);
    first.type('rm -rf /\r');
    await soon(() => first.isOver).toBe(true);
    machine.say('still here');
    await soon(() => second.text).toContain('still here');
    expect(machine.lastTyped).toBe('ls -l\r');
  });

  it.each([
    ['a bad token', 401, (tenant: Tenant) => socketUrl(tenant).replace(/token=.*/, 'token=bad')],
    ['an unknown node', 404, (tenant: Tenant) => socketUrl(tenant).replace('/node/n1/', '/node/n2/')],
    ['a BMC that fails', 502, (tenant: Tenant) => socketUrl(tenant)],
    ['a call that is no console', 405, (tenant: Tenant) => socketUrl(tenant).replace('/console', '/power_on')],
  ])('is not opened for %s: the answer is in HTTP', async (_what, status, url) => {
    const daemon = await daemonForTest('sqlite');
    const { tenant } = await makeNode(daemon, 'n1', 'fail=console');
    const socket = new WebSocket(url(tenant));
    socket.on('error', () => undefined);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    expect(response.statusCode).toBe(status);
    socket.terminate();
    await consoleOf(daemon).toBe('idle');
  });

  it('whose handshake is wrong leaves no watcher behind', async () => {
    const { bmc, daemon, tenant } = await makeScriptedNode({ env: { CORRAL_OBMD_CONSOLE_LINGER: '0.2' } });
    const headers = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '99' };
    const asked = request(`${daemon.url}${tenant.path('console')}`, { agent: false, headers });
    asked.on('error', () => undefined).end();
    const [response] = (await once(asked, 'response')) as [{ statusCode: number }];
    expect(response.statusCode).toBe(400);
    await soon(() => bmc.lines).toBe(0);
    await consoleOf(daemon).toBe('idle');
  });

  it('whose client is gone before the console is open leaves no watcher behind', async () => {
    const { bmc, daemon, tenant } = await makeScriptedNode({
      env: {
        CORRAL_OBMD_CONSOLE_LINGER: '0.2',
        CORRAL_OBMD_CALL_TIMEOUT: '10',
      },
    });
    const release = bmc.hold();
    const socket = new WebSocket(socketUrl(tenant));
    socket.on('error', () => undefined);
    await soon(() => bmc.running).toEqual(['console']);
    socket.terminate();
    await soon(() => socket.readyState).toBe(WebSocket.CLOSED);
    await done(daemon.admin('GET', '/nodes'));
    release();
    await soon(() => bmc.done.length).toBe(1);
    await consoleOf(daemon).toBe('idle');
    expect(bmc.lines).toBe(0);
  });

  it('can be typed into without end: what the BMC does not take is lost', async () => {
    const { bmc, tenant } = await makeScriptedNode();
    const watcher = await converse(tenant);
    await soon(() => bmc.lines).toBe(1);
    bmc.line?.cork();
    const piece = 'x'.repeat(32 * 1024);
    for (let count = 0; count < 300; count += 1) watcher.type(piece);
    await soon(() => bmc.line?.writableLength ?? 0).toBeGreaterThan(32 * 1024);
    const second = await converse(tenant);
    await soon(() => watcher.isOver).toBe(true);
    expect(bmc.line?.writableLength).toBeLessThan(200 * 1024);
    second.leave();
  });
});

describe('a stream', () => {
  it('whose client is gone before the console is open leaves no watcher behind', async () => {
    const { bmc, daemon, tenant } = await makeScriptedNode({
      env: {
        CORRAL_OBMD_CONSOLE_LINGER: '0.2',
        CORRAL_OBMD_CALL_TIMEOUT: '10',
      },
    });
    const release = bmc.hold();
    const { hostname, port } = new URL(daemon.url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${tenant.path('console')} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await soon(() => bmc.running).toEqual(['console']);
    socket.destroy();
    await once(socket, 'close');
    await done(daemon.admin('GET', '/nodes'));
    release();
    await consoleOf(daemon).toBe('idle');
    expect(bmc.lines).toBe(0);
  });

  it('answers at once, even if the machine has nothing to say', async () => {
    const daemon = await daemonForTest('sqlite');
    const { tenant } = await makeNode(daemon, 'n1');
    const response = await openStream(tenant);
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store']);
    response.destroy();
  });
});

describe('a client that never reads', () => {
  const memory = (): number => {
    const { rss } = process.memoryUsage();
    return rss / 1024 / 1024;
  };

  it.each(ways)('of a $way is cut off, and the memory stays bounded', async ({ way }) => {
    const daemon = await daemonForTest('sqlite', { env: { CORRAL_OBMD_CONSOLE_LINGER: '0.2' } });
    const { tenant, machine } = await makeNode(daemon, 'n1', 'stream_bytes_s=40000000');
    machine.powerOn();
    const before = memory();
    const { hostname, port } = new URL(daemon.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const upgrade =
      'Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    socket.write(`GET ${tenant.path('console')} HTTP/1.1\r\nHost: x\r\n${way === 'WebSocket' ? upgrade : ''}\r\n`);
    await soon(() => machine.isWatched).toBe(true);
    await soon(() => machine.isWatched).toBe(false);
    await consoleOf(daemon).toBe('idle');
    expect(memory() - before).toBeLessThan(150);
    const begun = performance.now();
    await daemon.stop();
    expect(performance.now() - begun).toBeLessThan(12_000);
    socket.resume();
    await soon(() => socket.closed).toBe(true);
  });
});

describe('a console that opens late', () => {
  it('after its time is over is let go of again', async () => {
    const { bmc, daemon, tenant } = await makeScriptedNode({ env: { CORRAL_OBMD_CALL_TIMEOUT: '0.3' } });
    const release = bmc.hold();
    expect(await refusal(daemon.send('GET', tenant.path('console')))).toBe('502 BmcError');
    release();
    await soon(() => bmc.running).toEqual([]);
    await soon(() => bmc.lines).toBe(0);
    await consoleOf(daemon).toBe('idle');
    const watcher = await watch(tenant);
    bmc.line?.write('at last');
    await soon(() => watcher.text).toBe('at last');
  });

  it('after its token is void is let go of again, before the next token is given out', async () => {
    const { bmc, daemon, tenant } = await makeScriptedNode({ env: { CORRAL_OBMD_CALL_TIMEOUT: '10' } });
    const release = bmc.hold();
    const asking = daemon.send('GET', tenant.path('console'));
    await soon(() => bmc.running).toEqual(['console']);
    const next = newTenant(daemon, 'n1');
    expect(await refusal(asking)).toBe('401 AuthorizationError');
    release();
    const watcher = await watch(await next);
    await soon(() => bmc.lines).toBe(1);
    bmc.line?.write('hello');
    await soon(() => watcher.text).toBe('hello');
  });
});
