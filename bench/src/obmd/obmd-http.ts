import { Agent, request } from 'node:http';

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** Connections that are kept, so many at once. */
export const agentOf = (connections: number): Agent => new Agent({ keepAlive: true, maxSockets: connections });

/** One call, by the lightest client there is: what it costs is not the daemon's. */
export const ask = (
  agent: Agent,
  url: string,
  method: string,
  path: string,
  { authorization, body }: { readonly authorization?: string; readonly body?: object | undefined } = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const headers = {
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
