import { Type } from '@sinclair/typebox';
import { listTokens, tokenCreate, tokenRevoke } from '../../core/tokens.ts';
import { Label, NewLabel } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { exactly, orNull } from '../schemas.ts';
import { ofUser } from './session-routes.ts';

const Time = Type.String({ description: 'a time such as 2026-01-31T12:00:00.000Z' });

const Token = Type.Object({
  token: Type.String({ description: 'its name' }),
  user: Type.String(),
  project: orNull(Type.String({ description: 'the only project that it is for' })),
  read_only: Type.Boolean(),
  made_at: Time,
  expires_at: Time,
  used_at: orNull(Time),
});

/** Tokens that people make for their scripts. */
export const tokenRoutes: readonly Route[] = [
  route({
    name: 'token_create',
    endpoint: 'PUT /auth/token/:token',
    summary: 'Create a token with this name; it is shown only once',
    access: 'user',
    auth: 'Any user, not with a token',
    params: exactly({ token: NewLabel }),
    body: exactly({
      expires_in: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'how many seconds it lasts' }),
      ),
      project: Type.Optional(Type.String({ ...Label, description: 'the only project that it is for' })),
      read_only: Type.Optional(Type.Boolean({ description: 'true: read-only' })),
    }),
    reply: Type.Object({
      token: Type.String({ description: 'send it as `Authorization: Bearer …`' }),
      expires_at: Time,
    }),
    handle: (context, { params: args, body }, { setHeader }) => {
      setHeader('cache-control', 'no-store');
      return context.write((op) => tokenCreate(op, { ...args, ...body }));
    },
  }),
  route({
    name: 'list_tokens',
    endpoint: 'GET /auth/tokens',
    summary: 'List your tokens',
    access: 'user',
    auth: 'Any user; Admin for those of others',
    query: ofUser,
    reply: Type.Array(Token),
    handle: (context, { query }) => context.read((op) => listTokens(op, query)),
  }),
  route({
    name: 'token_revoke',
    endpoint: 'DELETE /auth/token/:token',
    summary: 'Revoke a token',
    access: 'user',
    auth: 'Any user; Admin for those of others',
    query: ofUser,
    handle: (context, { params: args, query }) => context.write((op) => tokenRevoke(op, { ...args, ...query })),
  }),
];
