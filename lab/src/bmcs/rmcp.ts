import { createSocket, type Socket } from 'node:dgram';

/** An ASF presence ping, which every BMC answers without a session. */
const ping = Buffer.from('0600ff06000011be80010000', 'hex');

/** Does a BMC answer on this UDP port of loopback within a moment? */
export const answersRmcp = async (port: number): Promise<boolean> => {
  const socket = createSocket('udp4');
  try {
    return await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), 50);
      socket.once('message', () => {
        clearTimeout(timer);
        resolve(true);
      });
      // Nobody there yet.
      socket.on('error', () => undefined);
      socket.send(ping, port, '127.0.0.1');
    });
  } finally {
    await closed(socket);
  }
};

const given = new Set<number>();

/** A UDP port on loopback that nobody has at the moment, and that was not given out before. */
export const freeUdpPort = async (): Promise<number> => {
  for (;;) {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(0, '127.0.0.1', resolve);
    });
    const { port } = socket.address();
    await closed(socket);
    if (given.has(port)) continue;
    given.add(port);
    return port;
  }
};

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.close(() => resolve()));
