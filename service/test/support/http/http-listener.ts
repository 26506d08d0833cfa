import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One call as it arrived at a listener. */
interface ReceivedCall {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly contentType: string | undefined;
  readonly body: unknown;
  /** What it was answered: a status, or nothing at all. */
  readonly answered: Reaction;
}

/** The status to answer with, `drop` the line, `hang`: never answer, or send elsewhere. */
type Reaction = number | 'drop' | 'hang' | { readonly status: number; readonly location: string };

/** A small HTTP service that notes what it is told and answers as the test wants. */
export interface Listener {
  readonly url: string;
  readonly heard: readonly ReceivedCall[];
  react: (body: unknown) => Reaction;
}

/** Starts a listener, which ends with the test. It answers 200 until told otherwise. */
export const startListener = async (): Promise<Listener> => {
  const heard: ReceivedCall[] = [];
  const listener = { url: '', heard, react: (): Reaction => 200 } as Listener & { url: string };
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const body: unknown = JSON.parse(text);
      const answered = listener.react(body);
      heard.push({
        method: request.method,
        path: request.url,
        contentType: request.headers['content-type'],
        body,
        answered,
      });
      if (answered === 'drop') request.socket.destroy();
      else if (typeof answered === 'object') response.writeHead(answered.status, { location: answered.location }).end();
      else if (answered !== 'hang') response.writeHead(answered).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  listener.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/nodes/arrived`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return listener;
};

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};
