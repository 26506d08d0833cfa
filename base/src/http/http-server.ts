import { randomBytes } from 'node:crypto';
import fastJson from 'fast-json-stringify';
import {
  fastify,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { type ConnectionLimits, Connections } from './connection-limits.ts';
import { refuseMalformed } from './malformed-requests.ts';
import { readTls, type TlsFiles } from './tls-files.ts';
import { beforeBodies } from './before-bodies.ts';
import { endIfUnread } from './unread-body.ts';

/** Turns values into JSON by a schema, compiled at the first use: all of them together took a tenth of a start. */
const serializerOf = ({ schema }: { readonly schema?: unknown }): ((value: unknown) => string) => {
  let made: ((value: unknown) => string) | undefined;
  return (value) => {
    made ??= fastJson(schema as fastJson.Schema);
    return made(value);
  };
};

/** How our servers treat every request, whatever it asks. */
const serverDefaults = {
  logger: false,
  bodyLimit: 1024 * 1024,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  exposeHeadRoutes: false,
  return503OnClosing: false,
  forceCloseConnections: 'idle',
  clientErrorHandler: refuseMalformed,
  // Requests are checked by our own schemas. The framework's compiler for its own takes 50 ms to load.
  schemaController: {
    compilersFactory: {
      buildSerializer: () => serializerOf,
      buildValidator: () => () => {
        throw new Error('request schemas belong to the route, not to the framework');
      },
    },
  },
} as const;

/** The limit of a body without credentials, or of a call with a short body. */
export const smallBodyLimit = 16 * 1024;

/** What is sent before a request can be read, and how long that may take. */
const headerTimeouts = {
  headersTimeout: 10_000,
  // Those that are late go a few at a time: thousands at once would keep everybody else waiting.
  connectionsCheckingInterval: 100,
  maxHeaderSize: 16 * 1024,
  // Node would refuse a request without a Host header by itself, in fewer words than ours.
  requireHostHeader: false,
} as const;

/** A server with our manners, without TLS or with it. */
export const newServer = (tls: TlsFiles | null, options: FastifyServerOptions): FastifyInstance => {
  // The two kinds of server differ in their types only, and nobody looks at those.
  const listener: object =
    tls === null
      ? { http: headerTimeouts }
      : { https: { ...headerTimeouts, ...readTls(tls), handshakeTimeout: 10_000 } };
  return fastify({ ...serverDefaults, ...options, ...listener });
};

/** Longer than any request line: how long a label may be is for its schema to say, once the caller is known. */
export const maxParamLength = 64 * 1024;

/** Ids that no two requests of any two processes share. */
export const requestIds = (): (() => string) => {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
};

/**
 * Node would answer an unknown expectation itself, with an empty 417; it may as well be ignored. And it would ask for
 * every body that is announced; who is refused need not send it.
 */
export const ignoreExpectations = (app: FastifyInstance): void => {
  const { server } = app;
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  beforeBodies(app, (request, reply, payload, done) => {
    const { expect, 'content-length': length } = request.headers;
    if (
      expect !== undefined &&
      /^100-continue$/i.test(expect) &&
      Number(length ?? 0) <= request.routeOptions.bodyLimit
    ) {
      reply.raw.writeContinue();
      request.headers.expect = undefined;
    }
    done(null, payload);
  });
};

const freshMs = 1_000;
const closingSweepMs = 250;

/** Keeps connections within limits; while the server closes, it does not wait for those that say nothing. */
export const limitConnections = (app: FastifyInstance, limits: ConnectionLimits): Connections => {
  const connections = new Connections(app.server, limits);
  app.addHook('preClose', (done) => {
    const sweep = setInterval(() => connections.closeFresh(freshMs), closingSweepMs).unref();
    app.server.once('close', () => clearInterval(sweep));
    done();
  });
  return connections;
};

/** Before an error is sent: if its request is not worth reading to the end, the connection ends with it. */
export const endUnread = (request: FastifyRequest, reply: FastifyReply): void => endIfUnread(request.raw, reply.raw);
