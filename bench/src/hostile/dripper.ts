import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';

/*
 * Holds connections on which a request never ends: a few bytes of a header now and then. One that is closed is made
 * again, but only so many a second. Arguments: port, connections, first and last of its own addresses in 127.0.0.0/24.
 */
const [port = 0, wanted = 0, firstAddress = 2, lastAddress = 2] = process.argv.slice(2).map(Number);
const openEveryMs = 100;
const batch = { first: 50, again: 10 };
const dripEveryMs = 5_000;

// On a network it would have a processor of its own.
setPriority(19);
const lines = new Set<Socket>();
const counts = { open: 0, opened: 0, closed: 0 };

const open = (): void => {
  const localAddress = `127.0.0.${firstAddress + (counts.opened % (lastAddress - firstAddress + 1))}`;
  counts.opened += 1;
  const socket = connect({ port, host: '127.0.0.1', localAddress }, () => {
    counts.open += 1;
    socket.write('GET /v0/nodes/free HTTP/1.1\r\nHost: corral\r\n');
    socket.once('close', () => (counts.open -= 1));
  });
  lines.add(socket);
  socket.resume().on('error', () => undefined);
  socket.once('close', () => {
    counts.closed += 1;
    lines.delete(socket);
  });
};

setInterval(() => {
  const most = counts.opened < wanted ? batch.first : batch.again;
  for (let count = 0; count < most && lines.size < wanted; count += 1) open();
  process.send?.(counts);
}, openEveryMs);
setInterval(() => {
  for (const socket of lines) if (!socket.connecting) socket.write('X-a: b\r\n');
}, dripEveryMs);
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
