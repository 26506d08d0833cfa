import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import type { AuthBackend } from '../auth/contract.ts';
import { anonymous, type Caller, requireAdmin, requireUser } from '../core/caller.ts';
import type { Access } from './route.ts';

const callers = new WeakMap<FastifyRequest, Caller>();

/** The caller of a request that has been identified. */
export const callerOf = (request: FastifyRequest): Caller => callers.get(request) ?? anonymous;

/** Before anything is read or validated: who is calling, and may they make this call at all? */
export const identify =
  (backend: AuthBackend, access: Access): onRequestHookHandler =>
  (request, _reply, done) => {
    const admit = (caller: Caller): void => {
      if (access === 'admin') requireAdmin(caller);
      if (access === 'user') requireUser(caller);
      callers.set(request, caller);
      done();
    };
    const refuse = (error: unknown): void => done(error as Error);
    try {
      // A remembered credential is known at once: most requests never wait here.
      const caller = backend.authenticate({ header: (name) => headerOf(request, name) });
      if (caller instanceof Promise) caller.then(admit).catch(refuse);
      else admit(caller);
    } catch (error) {
      refuse(error);
    }
  };

const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};
