import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it } from 'vitest';
import { listenTo } from '../../src/db/postgres-listener.ts';

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const ready = message('Z', Buffer.from('I'));
const welcome = Buffer.concat([message('R', Buffer.alloc(4)), ready]);
const listening = Buffer.concat([message('C', Buffer.from('LISTEN\0')), ready]);

/** Lets in whoever comes, says yes to the first statement, and hangs up. */
const serve = (socket: Socket): void => {
  socket.on('error', () => undefined);
  socket.once('data', () => {
    socket.write(welcome);
    socket.once('data', () => socket.end(listening));
  });
};

it('a server that accepts and closes connections immediately is tried ever less often', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    serve(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const listener = listenTo(
    pg,
    `postgres://nobody@127.0.0.1:${port}/none`,
    'corral',
    () => undefined,
    () => undefined,
  );
  await sleep(1_500);
  await listener.close();
  server.close();
  // With the same pause each time there would be fifteen.
  expect(connections).toBeGreaterThan(2);
  expect(connections).toBeLessThanOrEqual(7);
});
