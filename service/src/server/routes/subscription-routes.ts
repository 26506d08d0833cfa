import { Type } from '@sinclair/typebox';
import { listDeadLetters, subscriptionResend, subscriptionTest } from '../../core/dead-letters.ts';
import { subscriptionCreateMail } from '../../core/mail-subscriptions.ts';
import {
  listSubscriptions,
  showSubscription,
  subscriptionCreate,
  subscriptionDelete,
  subscriptionRotateSecret,
  subscriptionUpdate,
} from '../../core/subscriptions.ts';
import { Label, NewLabel } from '../../schema/labels.ts';
import { MailAddress } from '../../schema/mail-address.ts';
import { type Route, route } from '../route.ts';
import { exactly, orNull } from '../schemas.ts';
import { Event, eventObjectFilters } from './event-routes.ts';

const mostTypes = 50;
const ofOwner = "Project access for a project's, Admin for the site's";

const Time = Type.String({ description: 'a time such as 2026-01-31T12:00:00.000Z' });

const Filter = exactly({
  types: Type.Optional(
    Type.Array(Type.String(Label), {
      minItems: 1,
      maxItems: mostTypes,
      description: 'only events of these types, such as node_register',
    }),
  ),
  ...eventObjectFilters,
});

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'the http or https address that events are posted to',
});
const Secret = Type.String({ description: 'verifies the signatures of messages; it is not shown again' });

const Subscription = Type.Object({
  subscription: Type.String(),
  project: orNull(Type.String({ description: "null: it is the site's" })),
  url: Type.String({ description: 'of mail, mailto: and the address, if you may see it' }),
  user: orNull(Type.String({ description: 'whose mail it is; null: it is a webhook, or goes to an address' })),
  filter: Type.Object(Filter.properties),
  state: Type.Union([Type.Literal('active'), Type.Literal('failing'), Type.Literal('paused')]),
  paused_because: orNull(Type.String()),
  made_by: Type.String(),
  made_at: Time,
  old_secret_until: orNull(Type.String({ description: 'until then the secret before signs too' })),
  position: Type.Integer({ description: 'the last event that is done' }),
  attempts: Type.Integer({ description: 'how often the next one was tried' }),
  retry_at: orNull(Time),
  delivered: Type.Integer({ description: 'how many, since it was made' }),
  given_up: Type.Integer({ description: 'how many became dead letters, since it was made' }),
  lost_up_to: orNull(Type.Integer({ description: 'events up to this one were deleted before it had come to them' })),
  last_at: orNull(Time),
  last_result: orNull(Type.String({ description: 'how the last attempt ended' })),
});

const project = Type.Optional(
  Type.String({ ...Label, description: 'whose events it is sent; absent: all (administrators only)' }),
);

const Attempt = Type.Object({
  delivered: Type.Boolean(),
  result: Type.String({ description: 'what the receiver did' }),
});

/** Webhooks and mail. */
export const subscriptionRoutes: readonly Route[] = [
  route({
    name: 'list_subscriptions',
    endpoint: 'GET /subscriptions',
    summary: 'List subscriptions',
    access: 'user',
    auth: 'Admin sees all, a project its own',
    query: exactly({ project: Type.Optional(Type.String({ ...Label, description: 'only those of this project' })) }),
    reply: Type.Array(Subscription),
    handle: (context, { query }) => context.read((op) => listSubscriptions(op, query)),
  }),
  route({
    name: 'show_subscription',
    endpoint: 'GET /subscription/:subscription',
    summary: 'Show a subscription and how far it is',
    access: 'user',
    auth: ofOwner,
    reply: Subscription,
    handle: (context, { params: args }) => context.read((op) => showSubscription(op, args)),
  }),
  route({
    name: 'subscription_create',
    endpoint: 'PUT /subscription/:subscription',
    summary: 'Send events to a URL from now on; the secret is shown only once',
    access: 'user',
    auth: ofOwner,
    params: exactly({ subscription: NewLabel }),
    body: exactly({
      url: Url,
      project,
      filter: Type.Optional(Filter),
    }),
    reply: Type.Object({ secret: Secret }),
    handle: (context, { params: args, body }, { setHeader }) => {
      setHeader('cache-control', 'no-store');
      return context.write((op) => subscriptionCreate(op, { ...args, ...body }));
    },
  }),
  route({
    name: 'subscription_create_mail',
    endpoint: 'PUT /subscription/:subscription/mail',
    summary: 'Mail events to a user or an address from now on',
    access: 'user',
    auth: `${ofOwner}; only Admin for other users and for addresses`,
    params: exactly({ subscription: NewLabel }),
    body: exactly({
      user: Type.Optional(Type.String({ ...Label, description: 'a user, at the address that is set for them' })),
      address: Type.Optional(MailAddress),
      project,
      filter: Type.Optional(Filter),
    }),
    handle: (context, { params: args, body }) =>
      context.write((op) => subscriptionCreateMail(op, { ...args, ...body })),
  }),
  route({
    name: 'subscription_update',
    endpoint: 'PATCH /subscription/:subscription',
    summary: 'Change where a subscription goes or what it is for, pause or resume it',
    access: 'user',
    auth: ofOwner,
    body: exactly({
      url: Type.Optional(Url),
      filter: Type.Optional(Filter),
      paused: Type.Optional(Type.Boolean()),
      from_now: Type.Optional(Type.Boolean({ description: 'true: skip what has not been delivered yet' })),
    }),
    handle: (context, { params: args, body }) => context.write((op) => subscriptionUpdate(op, { ...args, ...body })),
  }),
  route({
    name: 'subscription_delete',
    endpoint: 'DELETE /subscription/:subscription',
    summary: 'Delete a subscription with its dead letters',
    access: 'user',
    auth: ofOwner,
    handle: (context, { params: args }) => context.write((op) => subscriptionDelete(op, args)),
  }),
  route({
    name: 'subscription_rotate_secret',
    endpoint: 'POST /subscription/:subscription/rotate_secret',
    summary: 'Give a subscription a new secret; for a day, the old one signs too',
    access: 'user',
    auth: ofOwner,
    reply: Type.Object({ secret: Secret, old_secret_until: Time }),
    handle: (context, { params: args }, { setHeader }) => {
      setHeader('cache-control', 'no-store');
      return context.write((op) => subscriptionRotateSecret(op, args));
    },
  }),
  route({
    name: 'subscription_test',
    endpoint: 'POST /subscription/:subscription/test',
    summary: 'Send a test message now',
    access: 'user',
    auth: ofOwner,
    reply: Attempt,
    handle: (context, { params: args }) => subscriptionTest(context, args),
  }),
  route({
    name: 'list_dead_letters',
    endpoint: 'GET /subscription/:subscription/dead_letters',
    summary: 'List events that could not be delivered, oldest first',
    access: 'user',
    auth: ofOwner,
    reply: Type.Array(Type.Object({ dead_letter: Type.Integer(), event: Event, reason: Type.String(), died_at: Time })),
    handle: (context, { params: args }) => context.read((op) => listDeadLetters(op, args)),
  }),
  route({
    name: 'subscription_resend',
    endpoint: 'POST /subscription/:subscription/resend',
    summary: 'Send a dead letter now; it is deleted if the receiver takes it',
    access: 'user',
    auth: ofOwner,
    body: exactly({ dead_letter: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
    reply: Attempt,
    handle: (context, { params: args, body }) => subscriptionResend(context, { ...args, ...body }),
  }),
];
