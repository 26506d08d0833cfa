import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A message as it arrived. */
export interface Received {
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: readonly string[];
  readonly headers: IncomingMessage['headers'];
  /** As it was sent: what was signed. */
  readonly text: string;
  readonly type: string;
  readonly data: { readonly id: number } & Readonly<Record<string, unknown>>;
}

/** A status, a redirect, or: close the line, never answer, answer without end, send half of an answer. */
type Reaction = number | { readonly location: string } | 'drop' | 'hang' | 'endless' | 'half';

/** A receiver of webhooks that does to each what the test wants. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  readonly taken: readonly Received[];
  react: (message: Received) => Reaction | Promise<Reaction>;
  /** From then on nobody listens there. */
  readonly goDown: () => Promise<void>;
  readonly comeBack: () => Promise<void>;
}

/** The projects that the messages which it took are about. */
export const projectsTold = ({ taken }: Receiver): unknown[] => taken.map(({ data }) => data['project']);

interface Place {
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly host?: string;
}

/** Starts one, which ends with the test. It takes everything until it is told otherwise. */
export const startReceiver = async ({ tls, host = '127.0.0.1' }: Place = {}): Promise<Receiver> => {
  const received: Received[] = [];
  const taken: Received[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const message = await messageIn(request);
    received.push(message);
    const reaction = await receiver.react(message);
    if (typeof reaction === 'number' && reaction < 300) taken.push(message);
    answer(request, response, reaction);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => void handle(request, response);
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, host, resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const goDown = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(goDown);
  const receiver: Receiver = {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${port}/hook?key=in-the-url`,
    received,
    taken,
    react: () => 204,
    goDown,
    comeBack: () => listen(port),
  };
  return receiver;
};

const messageIn = async (request: IncomingMessage): Promise<Received> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const header = (name: string): string => String(request.headers[`webhook-${name}`]);
  const { type, data } = JSON.parse(text) as Pick<Received, 'type' | 'data'>;
  return {
    id: header('id'),
    timestamp: header('timestamp'),
    signatures: header('signature').split(' '),
    headers: request.headers,
    text,
    type,
    data,
  };
};

const answer = (request: IncomingMessage, response: ServerResponse, reaction: Reaction): void => {
  if (typeof reaction === 'number') response.writeHead(reaction).end();
  else if (typeof reaction === 'object') response.writeHead(307, reaction).end();
  else if (reaction === 'drop') request.socket.destroy();
  else if (reaction === 'half') request.socket.end('HTTP/1.1 20');
  else if (reaction === 'endless') {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  }
};

/** The signature that the specification of Standard Webhooks asks for, made without the library that makes ours. */
export const signatureOf = (
  { id, timestamp, text }: Pick<Received, 'id' | 'timestamp' | 'text'>,
  secret: string,
): string => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64')}`;
};
