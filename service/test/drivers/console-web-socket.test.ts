import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { labCertificate, labKey } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { openConsoleSocket } from '../../src/drivers/obm/console-web-socket.ts';
import { Names } from '../support/http/test-outbound.ts';

const permit = { check: () => undefined, lost: new AbortController().signal };
const daemons = [
  ['http', 'connection', () => createHttpServer()],
  ['https', 'secureConnection', () => createHttpsServer({ cert: labCertificate, key: labKey })],
] as const;

/** How a connection ends, as the daemon sees it. */
const endingOf = (socket: Socket): Promise<'reset' | 'close'> =>
  new Promise((resolve) => {
    socket.once('end', () => resolve('close'));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNRESET' ? 'reset' : 'close'));
  });

describe.each(daemons)('a console over %s that nobody watches any more', (scheme, connection, serve) => {
  it('ends its connection by a reset: what was typed and not delivered is never sent', async () => {
    const server = serve();
    const consoles = new WebSocketServer({ server });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      consoles.close();
      server.close();
    });
    const ending = once(server, connection).then(([socket]) => endingOf(socket as Socket));
    const heard = once(consoles, 'connection').then(([socket]) =>
      once(
        (socket as WebSocket).on('error', () => undefined),
        'message',
      ),
    );
    const url = new URL(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/console`);
    const daemon = { ca: labCertificate, outbound: new Names().outbound() };
    const opened = await openConsoleSocket(url, daemon, AbortSignal.timeout(10_000), permit);
    if (opened.kind !== 'line') throw new Error(opened.text);
    opened.line.write?.(Buffer.from('reboot'));
    await heard;
    opened.line.bytes.destroy();
    expect(await ending).toBe('reset');
  });
});
