import type { FastifyInstance } from 'fastify';

const sweepMs = 50;
/** What is not over after this long is cut off; the process itself gives up a little later. */
const graceMs = 10_000;

/**
 * Lets a server close soon, however its clients behave. The signal aborts when closing begins: streams that
 * would go on for ever end by it. Connections that were busy then and fall idle later are closed as well;
 * without that each would hold the server open until its keep-alive times out.
 */
export const closingOf = (server: FastifyInstance): AbortSignal => {
  const closing = new AbortController();
  server.addHook('preClose', (done) => {
    closing.abort();
    const sweep = setInterval(() => server.server.closeIdleConnections(), sweepMs).unref();
    const end = setTimeout(() => server.server.closeAllConnections(), graceMs).unref();
    server.server.once('close', () => {
      clearInterval(sweep);
      clearTimeout(end);
    });
    done();
  });
  return closing.signal;
};
