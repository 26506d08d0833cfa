import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { hangUp } from './hang-up.ts';
import { securityHeaderLines } from './security-headers.ts';

const answers: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request was not received in time; send it without pauses'],
  HPE_HEADER_OVERFLOW: [431, 'the URL and the headers are too large; expected at most 16 KiB together'],
};
const notHttp = [400, 'the request is malformed; expected HTTP/1.1'] as const;

/** Answers what never became a request, in the shape that every error has. */
export const refuseMalformed = ({ code }: { readonly code?: string }, socket: Socket): void => {
  // Without a completed handshake no message can be sent.
  const isInHandshake = 'encrypted' in socket && !code?.startsWith('HPE_') && code !== 'ERR_HTTP_REQUEST_TIMEOUT';
  if (code === 'ECONNRESET' || !socket.writable || isInHandshake) {
    socket.destroy();
    return;
  }
  const [status, msg] = answers[code ?? ''] ?? notHttp;
  const body = JSON.stringify({ type: 'ValidationError', msg });
  hangUp(
    socket,
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `${securityHeaderLines('encrypted' in socket ? 'https' : 'http')}Connection: close`,
      '',
      body,
    ].join('\r\n'),
  );
};
