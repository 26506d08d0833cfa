import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Authenticator } from '../auth/chain.ts';
import type { Credentials } from '../auth/contract.ts';
import { requireOwnPage } from '../auth/own-page.ts';
import { anonymous, type Caller, requireAdmin, requireChanges, requireUser } from '../core/caller.ts';
import type { Route } from './route.ts';

const callers = new WeakMap<FastifyRequest, Caller>();

/** The caller of a request that has been identified. */
export const callerOf = (request: FastifyRequest): Caller => callers.get(request) ?? anonymous;

/** Before anything is read or validated: who is calling, and may they make this call at all? */
export const identify =
  (authenticator: Authenticator, { access, effect }: Pick<Route, 'access' | 'effect'>): onRequestHookHandler =>
  (request, _reply, done) => {
    const admit = (caller: Caller): void => {
      if (access === 'admin') requireAdmin(caller);
      if (access === 'user') requireUser(caller);
      if (effect === 'changes') requireChanges(caller);
      callers.set(request, caller);
      done();
    };
    const refuse = (error: unknown): void => done(error as Error);
    try {
      if (access === 'newcomer') {
        // Nor may a page elsewhere sign its visitor in as somebody of its own.
        if (request.method !== 'GET') requireOwnPage(credentialsOf(request));
        return admit(anonymous);
      }
      // A remembered credential is known at once: most requests never wait here.
      const caller = authenticator.authenticate(credentialsOf(request));
      if (caller instanceof Promise) caller.then(admit).catch(refuse);
      else admit(caller);
    } catch (error) {
      refuse(error);
    }
  };

/** What backends may look at. */
export const credentialsOf = (request: FastifyRequest): Credentials => ({
  header: (name) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  },
  method: request.method,
  get address() {
    return request.ip;
  },
  get origin() {
    return originOf(request);
  },
});

const publicUrls = new WeakMap<FastifyInstance, string>();

/** Pages of this service have this origin from now on, whatever a request says. */
export const setPublicUrl = (server: FastifyInstance, origin: string): void => void publicUrls.set(server, origin);

/** The origin that pages of this service have, as the client sees it. */
export const originOf = (request: FastifyRequest): string =>
  publicUrls.get(request.server) ?? `${request.protocol}://${request.host}`;
