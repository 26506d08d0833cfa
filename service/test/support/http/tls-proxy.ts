import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { labCertificate, labKey } from '@corral/lab';
import { onTestFinished } from 'vitest';

/** A proxy that ends TLS and tells the service what it saw, as nginx and Caddy do; it ends with the test. */
export const startTlsProxy = async (to: string): Promise<string> => {
  const { hostname, port } = new URL(to);
  const server = createServer({ cert: labCertificate, key: labKey }, (client) => {
    const upstream = connect(Number(port), hostname);
    const told = `X-Forwarded-For: ${client.remoteAddress ?? ''}\r\nX-Forwarded-Proto: https\r\n`;
    client.once('data', (first: Buffer) => {
      const head = first.toString('latin1');
      const host = /^host: (.*)\r\n/im.exec(head)?.[1] ?? '';
      // It asks under a name of its own, and once for each connection.
      const asked = head
        .replace(/^host: .*\r\n/im, `Host: upstream\r\n${told}X-Forwarded-Host: ${host}\r\n`)
        .replace(/^connection: keep-alive\r\n/im, 'Connection: close\r\n');
      upstream.write(asked, 'latin1');
      client.pipe(upstream).pipe(client);
    });
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined);
      socket.on('close', () => [client, upstream].forEach((other) => other.destroy()));
    }
    onTestFinished(() => void client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
