import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { OidcLogin } from '../auth/oidc/oidc-login.ts';
import { faultOf, LoginFault, type LoginFaultKind } from '../auth/oidc/login-fault.ts';
import { anonymous } from '../core/caller.ts';
import { createRequestContext } from '../core/request-context.ts';
import { sessionOpen } from '../core/sessions.ts';
import type { Dependencies } from '../core/dependencies.ts';
import type { Db } from '../db/service-database.ts';
import { credentialsOf } from './identify-caller.ts';
import { attemptCookie, attemptIn, clearedAttemptCookie } from './login-cookie.ts';
import { sendPage, type SmallPage } from './html-pages.ts';
import { localPath } from './return-to.ts';
import { sessionCookie } from './session-cookie.ts';

export interface LoginParts {
  readonly login: OidcLogin;
  readonly db: Db;
  readonly dependencies: Dependencies;
  readonly log: Logger;
}

const loginPath = '/auth/oidc/login';
const callbackPath = '/auth/oidc/callback';

/** What browsers use to log in at the OpenID provider. Beside /v0: these answer with pages, not with JSON. */
export const serveOidcLogin = (server: FastifyInstance, { login, db, dependencies, log }: LoginParts): void => {
  const explain = (request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply => {
    const fault = faultOf(thrown);
    if (!(fault instanceof LoginFault)) throw thrown;
    log.warn({ requestId: request.id, reason: fault.kind, details: fault.message }, 'OIDC login failed');
    return sendPage(reply, pages[fault.kind]);
  };

  server.get(loginPath, async (request, reply) => {
    const returnTo = localPath(queryOf(request).get('return_to') ?? '/');
    if (returnTo === null) return sendPage(reply, elsewhere);
    const { origin } = credentialsOf(request);
    try {
      const { url, attempt } = await login.begin(`${origin}${callbackPath}`, returnTo);
      return await reply.header('set-cookie', attemptCookie(origin, attempt)).redirect(url, 303);
    } catch (error) {
      return explain(request, reply, error);
    }
  });

  server.get(callbackPath, async (request, reply) => {
    const credentials = credentialsOf(request);
    const { address, origin } = credentials;
    // Good for one answer of the provider, whatever comes of it.
    reply.header('set-cookie', clearedAttemptCookie(origin));
    try {
      const { caller, returnTo } = await login.finish(
        queryOf(request),
        attemptIn(origin, credentials.header('cookie') ?? ''),
      );
      const context = createRequestContext(db, dependencies, { caller: anonymous, requestId: request.id });
      const session = await sessionOpen(context, { caller, address, agent: credentials.header('user-agent') ?? '' });
      reply.header('set-cookie', sessionCookie(origin, session));
      // A page, not a redirect: the session's cookie does not go along on a way that began at the provider.
      return await sendPage(reply, {
        status: 200,
        title: 'Signed in',
        text: `You are signed in as ${caller.name}.`,
        link: { to: returnTo, text: 'Go on' },
        goesOn: true,
      });
    } catch (error) {
      return explain(request, reply, error);
    }
  });
};

const queryOf = ({ url }: FastifyRequest): URLSearchParams => new URL(url, 'http://here.invalid').searchParams;

const again = { to: loginPath, text: 'Sign in again' } as const;
const pages: Readonly<Record<LoginFaultKind, SmallPage>> = {
  denied: {
    status: 403,
    title: 'Not signed in',
    text: 'The identity provider says that you did not agree, or may not use this service. If you should, ask the administrator of the provider.',
    link: again,
  },
  stale: {
    status: 400,
    title: 'This sign-in cannot be finished',
    text: 'It took too long, was finished already, or began in another browser. Start again.',
    link: again,
  },
  unavailable: {
    status: 503,
    title: 'The identity provider does not answer',
    text: 'Nobody can sign in until it does. Try again in a moment; if that does not help, tell your administrator.',
    link: again,
  },
  refused: {
    status: 502,
    title: 'The identity provider refuses this service',
    text: 'The settings of this service and of the provider do not match. Tell your administrator; the log has the details.',
    link: again,
  },
  untrusted: {
    status: 502,
    title: 'The response of the identity provider is invalid',
    text: 'It could not be verified. Try again; if that does not help, tell your administrator.',
    link: again,
  },
};
const elsewhere: SmallPage = {
  status: 400,
  title: 'The return address is not a page of this service',
  text: 'The link that brought you here would redirect you to another site after signing in. Sign in without it.',
  link: again,
};
