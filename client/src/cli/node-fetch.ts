import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Answer, Fetch } from '../index.ts';

/**
 * `fetch` as far as the SDK uses it, on `node:http`. Node's own compiles its parser first and lets a process end only
 * when that is done: a command took several times as long with it.
 */
export const nodeFetch: Fetch = async (url, { method, headers, signal, body }) => {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  signal.throwIfAborted();
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const options: RequestOptions = { method, headers: { ...headers, ...length }, signal };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options, resolve).once('error', reject).end(body);
  });
  return answerOf(answer, signal);
};

const answerOf = (answer: IncomingMessage, signal: AbortSignal): Answer => {
  const status = answer.statusCode ?? 0;
  const chunks = bytesOf(answer, signal);
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: {
      get: (name) => {
        const value = answer.headers[name.toLowerCase()];
        return (Array.isArray(value) ? value.join(', ') : value) ?? null;
      },
    },
    text: async () => {
      const parts: Uint8Array[] = [];
      for await (const chunk of chunks) parts.push(chunk);
      return Buffer.concat(parts).toString();
    },
    body: {
      getReader: () => ({
        read: () => chunks.next(),
        cancel: async () => {
          answer.destroy();
          await chunks.return(undefined);
        },
      }),
    },
  };
};

/** A line that breaks is reported as `fetch` reports it. */
async function* bytesOf(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array, undefined> {
  try {
    for await (const chunk of answer) yield chunk as Uint8Array;
  } catch (error) {
    signal.throwIfAborted();
    throw new TypeError('terminated', { cause: error });
  }
  return undefined;
}
