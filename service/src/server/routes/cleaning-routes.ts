import { Type } from '@sinclair/typebox';
import { cleaningResult } from '../../core/cleaning-result.ts';
import { cleaningRetry, cleaningSkip, listCleanings, nodeQuarantine, showCleaning } from '../../core/cleanings.ts';
import { Label, labelRule, oneLine } from '../../schema/labels.ts';
import { labelOf } from '@corral/base/schema/label';
import { type Route, route } from '../route.ts';
import { exactly, orNull } from '../schemas.ts';
import { Next, page, pageIn } from './overview-schemas.ts';

const CleaningId = labelOf('/', 'the id of a cleaning');
const Reason = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: oneLine,
  description: 'why, in one line of text; events and refusals repeat it',
});
const State = Type.Unsafe<'running' | 'maintenance' | 'passed' | 'failed'>({
  type: 'string',
  enum: ['running', 'maintenance', 'passed', 'failed'],
  description:
    '`running`, `maintenance` (the maintenance service has the node), `passed` or `failed` (the node is quarantined)',
});
const Since = Type.String({ description: 'a time such as 2026-01-31T12:00:00.000Z' });
const Time = orNull(Since);

const Cleaning = {
  cleaning: Type.String({ description: 'its id' }),
  node: Type.String(),
  project: orNull(Type.String({ description: 'the project that the node left; null: it was free' })),
  state: State,
  reason: orNull(Type.String({ description: 'why the node is quarantined' })),
  step: orNull(Type.String({ description: 'the step that is in progress, or that failed' })),
  created_at: Since,
  ended_at: Time,
};

const Step = Type.Object({
  name: Type.String(),
  kind: Type.String({
    description:
      '`power`, `ports`, `bootdev`, `bmc`, `command`, `webhook`, `attach`, `boot`, `detach` (the parts of a boot) or `maintenance`',
  }),
  state: Type.String({ description: '`pending`, `running`, `passed`, `failed` or `skipped`' }),
  attempts: Type.Integer({ description: 'failed attempts' }),
  sentence: orNull(Type.String({ description: 'what became of it, or what it waits for' })),
  evidence: orNull(Type.String({ description: 'what was read, or what the command or service said' })),
  started_at: Time,
  deadline_at: Time,
  ended_at: Time,
});

export const cleaningRoutes: readonly Route[] = [
  route({
    name: 'list_cleanings',
    endpoint: 'GET /cleanings',
    summary: 'List the cleanings of nodes that left a project, newest first',
    access: 'admin',
    query: exactly({
      ...page,
      state: Type.Optional(State),
      node: Type.Optional(Type.String({ ...Label, description: `of this node; ${labelRule}` })),
    }),
    reply: Type.Object({
      cleanings: Type.Array(Type.Object(Cleaning)),
      next: Next,
      enabled: Type.Boolean({ description: 'whether a node that leaves a project is cleaned (`cleaning.enabled`)' }),
    }),
    handle: (context, { query: { after, limit, ...which } }) =>
      context.read((op) =>
        listCleanings(op, {
          ...which,
          ...(after === undefined ? {} : { after }),
          limit: pageIn({ ...(limit === undefined ? {} : { limit }) }).limit,
        }),
      ),
  }),
  route({
    name: 'show_cleaning',
    endpoint: 'GET /cleaning/:cleaning',
    summary: 'Show a cleaning and its steps',
    access: 'admin',
    params: exactly({ cleaning: CleaningId }),
    reply: Type.Object({ ...Cleaning, steps: Type.Array(Step) }),
    handle: (context, { params }) => context.read((op) => showCleaning(op, params)),
  }),
  route({
    name: 'cleaning_retry',
    endpoint: 'POST /cleaning/:cleaning/retry',
    summary: 'Clean a quarantined node again, from the first step on',
    access: 'admin',
    params: exactly({ cleaning: CleaningId }),
    handle: (context, { params }) => context.write((op) => cleaningRetry(op, params)),
  }),
  route({
    name: 'cleaning_skip',
    endpoint: 'POST /cleaning/:cleaning/skip',
    summary: 'Leave out a step of a cleaning; a reading of ports cannot be left out',
    access: 'admin',
    params: exactly({ cleaning: CleaningId }),
    body: exactly({ step: Type.String({ ...Label, description: 'the name of the step' }), reason: Reason }),
    handle: (context, { params, body }) => context.write((op) => cleaningSkip(op, { ...params, ...body })),
  }),
  route({
    name: 'cleaning_result',
    endpoint: 'POST /cleaning/:cleaning/result',
    summary:
      'Report the result of a step that a webhook was asked to do, or that a node booted for, once, with its token',
    access: 'visitor',
    auth: 'The holder of the token for the step',
    params: exactly({ cleaning: CleaningId }),
    body: exactly({
      step: Type.String({ ...Label, description: 'the name of the step' }),
      token: Type.String({ minLength: 1, maxLength: 255, description: 'the token that came with the request' }),
      outcome: Type.Unsafe<'clean' | 'failed'>({
        type: 'string',
        enum: ['clean', 'failed'],
        description: '`clean` or `failed`',
      }),
      evidence: Type.Optional(
        Type.String({ maxLength: 16_384, description: 'what was found; the first 4000 characters are kept' }),
      ),
    }),
    handle: (context, { params, body }) => context.write((op) => cleaningResult(op, { ...params, ...body })),
  }),
  route({
    name: 'node_quarantine',
    endpoint: 'POST /node/:node/quarantine',
    summary: 'Take a node that is in no project, or is being cleaned, out of service',
    access: 'admin',
    body: exactly({ reason: Reason }),
    reply: Type.Object({ cleaning: Type.String({ description: 'retry it to put the node back' }) }),
    handle: (context, { params, body }) => context.write((op) => nodeQuarantine(op, { ...params, ...body })),
  }),
];
