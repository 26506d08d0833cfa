import { Type } from '@sinclair/typebox';
import { requireAccount } from '../../core/accounts.ts';
import { listSessions, sessionClose, sessionEnd, sessionOpen } from '../../core/sessions.ts';
import { showSession, viewOf, whoami } from '../../core/whoami.ts';
import { oneLine } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { exactly, Labels, orNull } from '../schemas.ts';
import { clearedSessionCookie, sessionCookie } from '../session-cookie.ts';

const Time = Type.String({ description: 'a time such as 2026-01-31T12:00:00.000Z' });

const WhoAmI = Type.Object({
  name: Type.String(),
  admin: Type.Boolean(),
  projects: Labels,
  by: Type.String({ description: 'how the caller authenticated: `credentials`, `session` or `token`' }),
  read_only: Type.Boolean(),
  expires_at: orNull(Time),
});

const SignedIn = Type.Object({ caller: orNull(WhoAmI) });

const Methods = Type.Object({
  basic: Type.Boolean({ description: 'user name and password, by HTTP Basic' }),
  keystone: orNull(Type.Object({ url: Type.String() })),
  oidc: orNull(
    Type.Object({
      issuer: Type.String(),
      audience: Type.String({ description: 'what bearer tokens hold in `aud`' }),
      browser: Type.Boolean({ description: 'browsers log in at `/auth/oidc/login`' }),
      device: orNull(
        Type.Object({ client_id: Type.String(), scopes: Type.String() }, { description: 'for the device flow' }),
      ),
    }),
  ),
});

const Session = Type.Object({
  session: Type.String(),
  user: Type.String(),
  made_at: Time,
  seen_at: Time,
  expires_at: Time,
  address: Type.String(),
  agent: Type.String(),
  current: Type.Boolean({ description: 'true: the session of this request' }),
});

/** Whose sessions or tokens are meant, where they are not one's own. People of other backends have longer names. */
export const ofUser = exactly({
  user: Type.Optional(
    Type.String({ minLength: 1, maxLength: 600, pattern: oneLine, description: 'of this person; for administrators' }),
  ),
});

/** Signing in with the password of a user of the database. */
export const passwordSessionRoutes: readonly Route[] = [
  route({
    name: 'session_open',
    endpoint: 'POST /auth/session',
    summary: 'Sign in with a password, from a page of this service: sets the cookie of a new session',
    access: 'sign-in',
    body: exactly({
      username: Type.String({ minLength: 1, maxLength: 255, description: "a user's name" }),
      password: Type.String({ minLength: 1, maxLength: 1024, description: 'the password' }),
    }),
    reply: WhoAmI,
    handle: async (context, { body }, { credentials, setHeader }) => {
      const { address, origin } = credentials;
      const user = await context.dependencies.checkPassword({ ...body, address });
      const caller = requireAccount(user.caller, 'opening a session');
      const agent = credentials.header('user-agent') ?? '';
      const session = await sessionOpen(context, { caller, address, agent });
      setHeader('set-cookie', sessionCookie(origin, session));
      setHeader('cache-control', 'no-store');
      return { ...viewOf(caller, session.expiresAt), by: 'session' };
    },
  }),
];

/** How to sign in, who one is here, and the sessions of one's browsers. */
export const sessionRoutes: readonly Route[] = [
  route({
    name: 'show_auth_methods',
    endpoint: 'GET /auth/methods',
    summary: 'List the ways to sign in',
    access: 'sign-in',
    reply: Methods,
    handle: (context) => Promise.resolve(context.dependencies.signIn),
  }),
  route({
    name: 'show_session',
    endpoint: 'GET /auth/session',
    summary: 'Show who is signed in, if anybody is: for pages, which have to know before they ask for anything else',
    access: 'visitor',
    reply: SignedIn,
    handle: (context, _args, { setHeader }) => {
      setHeader('cache-control', 'no-store');
      return context.read(showSession);
    },
  }),
  route({
    name: 'whoami',
    endpoint: 'GET /auth/whoami',
    summary: 'Show who the caller is, what they may do, and until when',
    access: 'user',
    reply: WhoAmI,
    handle: (context) => context.read(whoami),
  }),
  route({
    name: 'session_close',
    endpoint: 'DELETE /auth/session',
    summary: 'Sign out: end the session that the call comes with',
    access: 'user',
    auth: 'Any user with a session',
    handle: async (context, _args, { credentials, setHeader }) => {
      await context.write(sessionClose);
      setHeader('set-cookie', clearedSessionCookie(credentials.origin));
    },
  }),
  route({
    name: 'list_sessions',
    endpoint: 'GET /auth/sessions',
    summary: 'List your sessions, newest first',
    access: 'user',
    auth: 'Any user; Admin for those of others',
    query: ofUser,
    reply: Type.Array(Session),
    handle: (context, { query }) => context.read((op) => listSessions(op, query)),
  }),
  route({
    name: 'session_end',
    endpoint: 'DELETE /auth/sessions/:session',
    summary: 'End a session',
    access: 'user',
    auth: 'The owner, or Admin',
    handle: (context, { params: args }) => context.write((op) => sessionEnd(op, args)),
  }),
];
