import type { FastifyRequest } from 'fastify';
import { CorralError, type ErrorType } from '../core/corral-error.ts';
import { type RequestContext, createRequestContext } from '../core/request-context.ts';
import type { App } from './app-context.ts';
import { admit, credentialsOf } from './identify-caller.ts';
import type { Route } from './route.ts';

/**
 * How often it is asked without a notification, which may be lost. What is known of a caller is at most a second old, so
 * a revocation counts within two seconds in every process.
 */
const everyMs = 750;
const refusals: readonly ErrorType[] = ['AuthorizationError', 'NotFoundError'];
const lost = 'you no longer have access to this';
/** So many questions in a row may stay without an answer: 30 seconds. */
const mostUnanswered = 40;
const unconfirmed = 'your access could not be confirmed for 30 seconds; open it again';

/**
 * Asks whether the caller may still have what goes on being sent: whenever something about users changes, and now and
 * then. Aborts once they may not, or once nobody could tell for 30 seconds; its reason is a sentence.
 */
export const watchAccess = (
  app: App,
  request: FastifyRequest,
  route: Pick<Route, 'access' | 'effect'>,
  recheckAccess: (context: RequestContext) => Promise<unknown>,
): { readonly signal: AbortSignal; readonly end: () => void } => {
  const over = new AbortController();
  let unanswered = 0;
  const ask = async (): Promise<void> => {
    const caller = await app.auth.authenticate(credentialsOf(request, true));
    admit(caller, route);
    await recheckAccess(createRequestContext(app.db, app.dependencies, { caller, requestId: request.id }));
  };
  const look = (): void =>
    void ask().then(
      () => (unanswered = 0),
      (error: unknown) => {
        // Anything else, such as an identity provider that is down, is no answer: it is asked again.
        if (error instanceof CorralError && refusals.includes(error.type)) over.abort(lost);
      },
    );
  // Questions are counted, not time: a process that slept asks before it gives up.
  const timer = setInterval(() => {
    if (unanswered >= mostUnanswered) return over.abort(unconfirmed);
    unanswered += 1;
    look();
  }, everyMs).unref();
  const unsubscribe = app.db.changes.on('users', look);
  return {
    signal: over.signal,
    end: () => {
      clearInterval(timer);
      unsubscribe();
    },
  };
};
