import { createServer, type Socket } from 'node:net';
import { listen } from '../listen-loopback.ts';

/**
 * A machine's serial line. It is there whether the machine is on or not, as a real one is: a BMC that is connected
 * to it stays so when the machine is turned off and on.
 */
export interface SerialLine {
  /** Where it can be connected to, by several at a time: on loopback. */
  readonly port: number;
  /** How many are connected. */
  readonly connected: number;
  /** The machine says something. */
  say(bytes: Buffer): void;
  stop(): Promise<void>;
}

/** Opens a serial line; `typed` takes what is typed on it. */
export const openSerialLine = async (typed: (bytes: Buffer) => void, port?: number): Promise<SerialLine> => {
  const listeners = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    listeners.add(socket);
    socket
      .on('data', typed)
      .on('error', () => undefined)
      .on('close', () => listeners.delete(socket));
  });
  return {
    port: await listen(server, port),
    get connected() {
      return listeners.size;
    },
    say: (bytes) => {
      for (const listener of listeners) listener.write(bytes);
    },
    stop: async () => {
      for (const listener of listeners) listener.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
