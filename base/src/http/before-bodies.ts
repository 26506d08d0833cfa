import type { FastifyInstance, preParsingHookHandler } from 'fastify';

/** Adds a hook to the routes that are declared from here on and read bodies. Nobody reads one that comes with a GET. */
export const beforeBodies = (app: FastifyInstance, hook: preParsingHookHandler): void => {
  app.addHook('onRoute', (route) => {
    if (route.method !== 'GET') route.preParsing = [route.preParsing ?? [], hook].flat();
  });
};
