import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { PostgresTransactions } from '../../src/db/postgres-transactions.ts';
import { versionInPostgres } from '../../src/db/postgres-session.ts';
import { farewell, welcome } from '../support/postgres-wire.ts';

/** Lets in and ends the session in one breath, as a server does that is shut down at that moment. */
const serverThatEndsSessions = async (): Promise<string> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([welcome, farewell])));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`;
};

it('a session that the server ends with the bytes that open it fails the call, and not the process', async () => {
  const pool = new pg.Pool({ connectionString: await serverThatEndsSessions() });
  pool.on('error', () => undefined);
  onTestFinished(() => pool.end());
  const transactions = new PostgresTransactions<object>(pool, () => 'one');
  for (let count = 0; count < 3; count += 1) {
    await expect(
      transactions.withClient((loan) => transactions.run(loan, 'begin', () => Promise.resolve())),
    ).rejects.toMatchObject({ kind: 'unreachable' });
  }
});

it('nor does it end a tool that only looks', async () => {
  await expect(versionInPostgres(await serverThatEndsSessions(), 'corral_migrations')).rejects.toThrow();
});
