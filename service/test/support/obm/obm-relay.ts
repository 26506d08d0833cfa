import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Stands between a service and its OBM daemon, slows both down, and knows every token that passed. */
export interface Relay {
  readonly origin: string;
  /** Where the daemon is now. */
  target: string;
  /** Tokens that the daemon gave out for a node. */
  given(node: string): readonly string[];
  /** Tokens that the service made use of. */
  readonly used: ReadonlySet<string>;
  stop(): Promise<void>;
}

/** Starts one; each piece of what passes takes this long. */
export const startRelay = async (delayMs: number): Promise<Relay> => {
  const given = new Map<string, string>();
  const used = new Set<string>();
  const sockets = new Set<Socket>();
  const relay = { target: 'http://127.0.0.1:9' };

  const carry = (from: Socket, to: Socket, note: (text: string) => void): void => {
    let seen = '';
    let last: Promise<void> = Promise.resolve();
    const inOrder = (act: () => void): void => {
      last = last.then(() => sleep(delayMs)).then(act);
    };
    from.on('data', (bytes: Buffer) => {
      seen = (seen + bytes.toString('latin1')).slice(-4096);
      note(seen);
      inOrder(() => {
        if (!to.destroyed) to.write(bytes);
      });
    });
    from.once('end', () => inOrder(() => to.end()));
    from.once('close', () => inOrder(() => to.destroy()));
    from.on('error', () => undefined);
  };

  const server = createServer((client) => {
    const { hostname, port } = new URL(relay.target);
    const daemon = connect(Number(port), hostname);
    for (const socket of [client, daemon]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    let node = '';
    carry(client, daemon, (text) => {
      node = /^\w+ \/node\/([^/?]+)/.exec(text)?.[1] ?? node;
      const token = /\?token=([0-9a-f]+) /.exec(text)?.[1];
      if (token !== undefined) used.add(token);
    });
    carry(daemon, client, (text) => {
      const token = /"token":"([0-9a-f]+)"/.exec(text)?.[1];
      if (token !== undefined) given.set(token, node);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(relay, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    given: (node: string) => [...given].filter(([, of]) => of === node).map(([token]) => token),
    used,
    stop: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  });
};
