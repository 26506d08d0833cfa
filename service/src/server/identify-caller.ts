import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { type Authenticator, explicitCredentials } from '../auth/authenticator.ts';
import type { Credentials } from '../auth/auth-contract.ts';
import { requireSameOrigin } from '../auth/same-origin-check.ts';
import { anonymous, type Caller, requireAdmin, requireChanges, requireUser } from '../core/caller.ts';
import { unauthorized } from '../core/corral-error.ts';
import { toCorralError } from './http-errors.ts';
import { originOf, refuseForeignPages } from './request-origin.ts';
import type { Route } from './route.ts';

const authorization = 'authorization';

interface Identified {
  readonly caller: Caller;
  /** By the monotonic clock. */
  readonly at: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent it; null: not identified yet. */
    identified: Identified | null;
  }
}

/** Gives every request a place for its caller. */
export const rememberCallers = (server: FastifyInstance): void => void server.decorateRequest('identified', null);

/** The caller of a request that has been identified. */
export const callerOf = ({ identified }: FastifyRequest): Caller => identified?.caller ?? anonymous;

/** What backends say of a caller counts for this long: the body of a request can take longer to come. */
const identifiedMs = 1_000;

/** After a body that was long in coming: is the caller still who they were, and may they still make the call? */
export const identifyAgain = async (
  authenticator: Authenticator,
  request: FastifyRequest,
  route: Pick<Route, 'access' | 'effect'>,
): Promise<void> => {
  const known = request.identified;
  if (known === null || isForSigningIn(route) || performance.now() - known.at < identifiedMs) return;
  const caller = await authenticator.authenticate(credentialsOf(request, true));
  admit(caller, route);
  request.identified = { caller, at: performance.now() };
};

/** Calls of people who may have to sign in first. */
const isForSigningIn = ({ access }: Pick<Route, 'access'>): boolean => access === 'sign-in' || access === 'visitor';

/** Calls that need no credentials, or are about getting some. */
export const isForEverybody = (route: Pick<Route, 'access'>): boolean =>
  route.access === 'anyone' || isForSigningIn(route);

/** May they make this call at all? */
export const admit = (caller: Caller, { access, effect }: Pick<Route, 'access' | 'effect'>): void => {
  if (access === 'admin') requireAdmin(caller);
  if (access === 'user') requireUser(caller);
  if (effect === 'changes') requireChanges(caller);
};

/** Before anything is read or validated: who is calling, and may they make this call at all? */
export const identify =
  (
    authenticator: Authenticator,
    { access, effect }: Pick<Route, 'access' | 'effect'>,
    trustedOrigins: readonly string[],
  ): onRequestHookHandler =>
  (request, _reply, done) => {
    const enter = (caller: Caller): void => {
      admit(caller, { access, effect });
      request.identified = { caller, at: performance.now() };
      done();
    };
    const refuse = (error: unknown): void => {
      const refusal = toCorralError(error);
      // Browsers send an ended session along by themselves; what was sent on purpose is judged as everywhere.
      if (access === 'visitor' && refusal.type === 'AuthorizationError' && !hasExplicitCredentials(request)) {
        enter(anonymous);
      } else done(refusal);
    };
    try {
      if (access === 'sign-in') {
        // Nor may a page elsewhere sign its visitor in as somebody of its own.
        if (request.method !== 'GET') requireSameOrigin(credentialsOf(request));
        return enter(anonymous);
      }
      if (effect === 'changes') refuseForeignPages(request, trustedOrigins);
      if (authorization in request.headers) requireOneAuthorization(request);
      // A remembered credential is known at once: most requests never wait here.
      const caller = authenticator.authenticate(credentialsOf(request));
      if (caller instanceof Promise) caller.then(enter).catch(refuse);
      else enter(caller);
    } catch (error) {
      refuse(error);
    }
  };

/**
 * What backends may look at. A class: the getters of an object literal are recorded among the old objects, and those
 * records keep the whole request in memory until the next full collection.
 */
class RequestCredentials implements Credentials {
  readonly method: string;
  readonly isAskedAgain: true | undefined;
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest, isAskedAgain: true | undefined) {
    this.method = request.method;
    this.isAskedAgain = isAskedAgain;
    this.#request = request;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  get address(): string {
    return addressOf(this.#request);
  }

  get origin(): string {
    return originOf(this.#request);
  }
}

export const credentialsOf = (request: FastifyRequest, isAskedAgain?: true): Credentials =>
  new RequestCredentials(request, isAskedAgain);

const hasExplicitCredentials = ({ headers }: FastifyRequest): boolean =>
  explicitCredentials.some((name) => headers[name] !== undefined);

/** A client that is gone has no address any more. */
const addressOf = ({ ip }: { readonly ip?: string | undefined }): string => ip ?? '';

/** Of two headers Node keeps the first, and nobody would know which of them was meant. */
const requireOneAuthorization = ({ raw: { rawHeaders } }: FastifyRequest): void => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === authorization.length && name.toLowerCase() === authorization) count += 1;
  }
  if (count > 1) throw unauthorized('duplicate Authorization header; send it once');
};
