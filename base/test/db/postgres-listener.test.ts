import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it } from 'vitest';
import { listenTo } from '../../src/db/postgres-listener.ts';
import { done, welcome } from '../support/postgres-wire.ts';

/** Lets in whoever comes, says yes to the first statement, and hangs up. */
const serve = (socket: Socket): void => {
  socket.on('error', () => undefined);
  socket.once('data', () => {
    socket.write(welcome);
    socket.once('data', () => socket.end(done('LISTEN')));
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
