import { request } from 'node:http';
import { connect } from 'node:net';
import type { Answer } from './http-client.ts';

interface RawRequest {
  readonly method: string;
  /** As it is sent, below /v0: no client has normalised it. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer | readonly (string | Buffer)[];
}

/** Makes a call that fetch would not: any method, any path, a body in pieces or with a GET. */
export const raw = (url: string, { method, path, headers = {}, body }: RawRequest): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const options = { host: hostname, port, method, path: `/v0${path}`, headers: { ...headers }, agent: false };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const answered = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
        resolve({ status: response.statusCode ?? 0, text, body: parsed(text), headers: answered });
      });
    });
    sent.on('error', reject);
    if (Array.isArray(body)) for (const piece of body as readonly (string | Buffer)[]) sent.write(piece);
    sent.end(body === undefined || Array.isArray(body) ? undefined : body);
  });

/** Writes bytes to the service's port and answers with all that comes back until it hangs up. */
export const rawBytes = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
