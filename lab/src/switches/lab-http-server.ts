import { createServer as createPlain, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import { labCertificate, labKey } from './certificates.ts';
import type { LabPort, LabSwitch, LineFault } from './lab-switch.ts';
import { startFaultRelay } from './fault-relay.ts';
import { listen } from '../listen-loopback.ts';

/** What a device was asked. */
export interface LabHttpRequest {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
}

/** What a device answers. */
export interface LabHttpResponse {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
}

/** A device's web server behind a line that can be broken, on loopback. */
export interface HttpServer {
  readonly port: number;
  /** What was asked since this was last called. */
  asked(): readonly LabHttpRequest[];
  /** Everything that was ever asked: method, path and body. */
  received(): readonly string[];
  breakLine(fault: LineFault | null): void;
  stop(): Promise<void>;
}

/** A scripted device behind HTTP, which also tells what was asked of it and what its ports went through. */
export interface LabHttpSwitch extends LabSwitch {
  /** Somebody puts a port into a mode that has nothing to do with networks here. */
  makeOdd(port: string): void;
  /** What was asked since this was last called. */
  asked(): readonly LabHttpRequest[];
  /** What a port carried, moment by moment, since this was last called. */
  moments(port: string): readonly LabPort[];
}

/** Accepted users. */
export const labUser = { username: 'corral', password: 'rest-assured' } as const;

/** Answers only those who know the user and the password; the others get 401 and nothing else. */
export const startHttpServer = async (
  scheme: 'http' | 'https',
  answer: (asked: LabHttpRequest) => LabHttpResponse,
): Promise<HttpServer> => {
  const expected = `Basic ${Buffer.from(`${labUser.username}:${labUser.password}`).toString('base64')}`;
  const log: LabHttpRequest[] = [];
  const received: string[] = [];
  const handle = async (request: IncomingMessage): Promise<LabHttpResponse> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (request.headers.authorization !== expected) return { status: 401 };
    const asked = {
      method: request.method ?? '',
      path: request.url ?? '',
      header: (name: string) => [request.headers[name]].flat()[0],
      body: Buffer.concat(chunks).toString('utf8'),
    };
    log.push(asked);
    received.push(`${asked.method} ${asked.path}${asked.body === '' ? '' : `\n${asked.body}`}`);
    return answer(asked);
  };
  const server: Server =
    scheme === 'https' ? createTls({ cert: labCertificate, key: labKey }) : (createPlain() satisfies Server);
  server.on('request', (request, response) => {
    void handle(request).then(
      ({ status, type, body }) => {
        response.writeHead(status, {
          ...(status === 401 ? { 'www-authenticate': 'Basic realm="switch"' } : {}),
          ...(type === undefined ? {} : { 'content-type': type }),
        });
        response.end(body);
      },
      () => response.destroy(),
    );
  });
  const line = await startFaultRelay({ port: await listen(server) });
  return {
    port: line.port,
    asked: () => log.splice(0),
    received: () => [...received],
    breakLine: (fault) => line.breakLine(fault),
    stop: async () => {
      await line.stop();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
