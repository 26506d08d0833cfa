import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { refuseMalformed } from './malformed.ts';

/** How our servers treat every request, whatever it asks. */
export const serverDefaults = {
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
      buildValidator: () => () => {
        throw new Error('request schemas belong to the route, not to the framework');
      },
    },
  },
} as const;

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

/** Node would answer an unknown expectation itself, with an empty 417; it may as well be ignored. */
export const ignoreExpectations = ({ server }: FastifyInstance): void => {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
};
