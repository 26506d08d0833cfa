import type { FastifyInstance, HTTPMethods } from 'fastify';

const all: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A known path by the wrong method is refused, and told which ones there are. */
export const refuseOtherMethods = (
  server: FastifyInstance,
  routes: readonly { readonly path: string; readonly method: string }[],
  refusal: (message: string) => Error,
): void => {
  const byPath = new Map<string, string[]>();
  for (const { path, method } of routes) byPath.set(path, [...(byPath.get(path) ?? []), method]);
  for (const [path, methods] of byPath) {
    const allow = methods.sort().join(', ');
    server.route({
      method: all.filter((method) => !methods.includes(method)),
      url: path,
      // Before the body: there is no reason to read it.
      onRequest: (request, reply, done) => {
        reply.header('allow', allow);
        done(refusal(`method ${request.method} is not allowed here; allowed: ${allow}`));
      },
      handler: () => undefined,
    });
  }
};
