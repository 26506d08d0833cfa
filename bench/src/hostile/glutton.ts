import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { authorization } from '../installation.ts';

/*
 * Uploads 100 MB where 1 MiB is allowed, with its length or in pieces, with credentials or without, one after the
 * other. Arguments: port, how many.
 */
const [port = 0, wanted = 0] = process.argv.slice(2).map(Number);
const declared = 100_000_000;
const chunk = Buffer.alloc(65_536, 32);
const piece = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);

// On a network it would have a processor of its own, and a line that is narrower than memory.
setPriority(19);
const pauseMs = 20;
const counts = { done: 0, told: 0, whole: 0, bytes: 0 };

const upload = (index: number): Promise<void> =>
  new Promise((resolve) => {
    const isChunked = index % 2 === 0;
    const credentials = index % 4 < 2 ? `Authorization: ${authorization}\r\n` : '';
    const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${declared}`;
    let sent = 0;
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write(`PUT /v0/node/none HTTP/1.1\r\nHost: corral\r\n${credentials}${length}\r\n\r\n`);
      pour();
    });
    const pour = (): void => {
      while (sent < declared && socket.writable) {
        sent += chunk.length;
        if (!socket.write(isChunked ? piece : chunk)) return;
      }
    };
    socket.on('drain', pour).on('error', () => undefined);
    socket.once('data', (answer) => {
      if (/^HTTP\/1.1 4(13|01) /.test(answer.toString())) counts.told += 1;
    });
    socket.once('close', () => {
      counts.done += 1;
      if (sent >= declared) counts.whole += 1;
      counts.bytes += socket.bytesWritten;
      process.send?.(counts);
      resolve();
    });
  });

for (let index = 0; index < wanted; index += 1) {
  await upload(index);
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
}
process.disconnect();
