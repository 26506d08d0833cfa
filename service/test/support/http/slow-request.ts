import { request } from 'node:http';
import type { Answer } from './http-client.ts';
import type { Service } from '../services/service.ts';

/** A request whose caller has been identified, and whose body has not come yet. */
export interface SlowRequest {
  /** Sends the body, and answers what the service makes of it. */
  finish(): Promise<Answer>;
}

/** Sends a request without its body, and returns when the service has looked at who sends it. */
export const beginSlowly = async (
  service: Service,
  call: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  },
): Promise<SlowRequest> => {
  const { hostname, port } = new URL(service.url);
  const body = JSON.stringify(call.body ?? {});
  const sent = request({
    host: hostname,
    port,
    method: call.method,
    path: `/v0${call.path}`,
    headers: { ...call.headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    agent: false,
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const headers = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
        const parsed = text === '' ? null : (JSON.parse(text) as unknown);
        resolve({ status: response.statusCode ?? 0, headers, text, body: parsed });
      });
    });
  });
  answer.catch(() => undefined);
  sent.write(body.slice(0, 1));
  // The service takes what comes on its connections in turn: once these are answered, the head above was looked at.
  for (let turn = 0; turn < 3; turn += 1) await service.admin.get('/auth/whoami');
  return {
    finish: () => {
      sent.end(body.slice(1));
      return answer;
    },
  };
};
