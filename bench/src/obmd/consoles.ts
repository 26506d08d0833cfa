import { once } from 'node:events';
import { get } from 'node:http';
import { WebSocket } from 'ws';
import type { HeldNode } from './daemon.ts';

/** A client of a console. */
export interface Watcher {
  /** Resolves when the connection is closed. */
  leave(): Promise<void>;
}

const pathOf = ({ id, token }: HeldNode): string => `/node/${id}/console?token=${token}`;

/** Watches by plain HTTP; it leaves as a browser tab that is closed. */
export const watchPlain = (url: string, node: HeldNode, hear: (bytes: Buffer) => void): Promise<Watcher> =>
  new Promise((resolve, reject) => {
    const request = get(`${url}${pathOf(node)}`, { agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`console of ${node.id}: ${response.statusCode ?? 0}`));
      response.on('data', hear).on('error', () => undefined);
      resolve({
        leave: async () => {
          const closed = once(request, 'close');
          request.destroy();
          await closed;
        },
      });
    });
    // Also what comes of leaving, which nobody waits for any more.
    request.on('error', reject);
  });

/** Watches by WebSocket; it says goodbye when it leaves. */
export const watchSocket = async (url: string, node: HeldNode, hear: (bytes: Buffer) => void): Promise<Watcher> => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${pathOf(node)}`, { perMessageDeflate: false });
  socket.on('message', hear);
  await once(socket, 'open');
  socket.on('error', () => undefined);
  return {
    leave: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
};
