import { type Static, Type } from '@sinclair/typebox';
import {
  claimCancel,
  claimQueue,
  listProjectClaims,
  projectClaim,
  projectClaimPreview,
  showClaim,
} from '../../core/claims.ts';
import { longestSearched } from '../../db/metadata-value.ts';
import { Label } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { byLabel, exactly, Labels, orNull } from '../schemas.ts';

const ofProject = 'Project access, or Admin';
const ofClaim = "Project access to the claim's project, or Admin";

const Value = Type.Union([Type.String({ maxLength: longestSearched }), Type.Number(), Type.Boolean()], {
  description: `a text of at most ${longestSearched} characters, a number, true or false`,
});
const Bound = Type.Number({ description: 'a number' });

const ValueCondition = Type.Object(
  {
    equals: Type.Optional(Value),
    not_equals: Type.Optional(Value),
    one_of: Type.Optional(
      Type.Array(Value, { minItems: 1, maxItems: 50, description: 'a list of 1 to 50 texts, numbers, true or false' }),
    ),
    at_least: Type.Optional(Bound),
    at_most: Type.Optional(Bound),
    more_than: Type.Optional(Bound),
    less_than: Type.Optional(Bound),
    present: Type.Optional(Type.Boolean({ description: 'true: the node has it; false: it has not' })),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description:
      'an object with some of "equals", "not_equals", "one_of", "at_least", "at_most", "more_than", "less_than" and "present"',
  },
);

const Match = Type.Object(
  {
    metadata: Type.Optional(
      Type.Record(Type.String(), ValueCondition, {
        propertyNames: Label,
        maxProperties: 20,
        description: 'an object with a condition for each of at most 20 labels of metadata',
      }),
    ),
    nics: Type.Optional(
      Type.Object(
        { at_least: Type.Integer({ minimum: 0, maximum: 1_000, description: 'a whole number from 0 to 1000' }) },
        { additionalProperties: false, description: 'an object with "at_least"' },
      ),
    ),
    switch: Type.Optional(Label),
  },
  { additionalProperties: false, description: 'an object with some of "metadata", "nics" and "switch"' },
);

const key = Type.String({ ...Label, description: 'a label of metadata' });
const Prefer = Type.Union([exactly({ spread: key }), exactly({ pack: key })], {
  description: 'an object with either "spread" or "pack", a label of metadata',
});

const wanted = {
  count: Type.Integer({ minimum: 1, maximum: 100, description: 'a whole number from 1 to 100' }),
  match: Type.Optional(Match),
  prefer: Type.Optional(Prefer),
};

const Time = Type.String({ description: 'a time such as 2026-01-31T12:00:00.000Z' });
const Wait = Type.Union([Type.Boolean(), exactly({ until: Type.String({ ...Time, maxLength: 64 }) })], {
  description: 'true, false, or an object with "until", a time such as 2026-01-31T12:00:00Z',
});

const Claim = Type.Object({
  claim: Type.String(),
  project: Type.String(),
  state: Type.Unsafe<'waiting' | 'served' | 'cancelled' | 'expired' | 'ended'>(
    Type.String({ enum: ['waiting', 'served', 'cancelled', 'expired', 'ended'] }),
  ),
  user: Type.String({ description: 'who made it' }),
  count: Type.Integer(),
  match: Type.Object({
    metadata: Type.Optional(byLabel(Type.Unsafe<Static<typeof ValueCondition>>(byLabel(Type.Unknown())))),
    nics: Type.Optional(Type.Object({ at_least: Type.Integer() })),
    switch: Type.Optional(Type.String({ description: 'for administrators' })),
  }),
  prefer: orNull(
    Type.Unsafe<Static<typeof Prefer>>(
      Type.Object({ spread: Type.Optional(Type.String()), pack: Type.Optional(Type.String()) }),
    ),
  ),
  place: orNull(Type.Integer({ description: 'its place in line; null: it does not wait any more' })),
  nodes: Labels,
  reason: orNull(Type.String({ description: 'why it ended without nodes, or was passed over' })),
  made_at: Time,
  until: Time,
  ended_at: orNull(Time),
});

/** Nodes reserved by what they are. */
export const claimRoutes: readonly Route[] = [
  route({
    name: 'project_claim',
    endpoint: 'POST /project/:project/claim',
    summary: 'Reserve free nodes by what they are, all or none; with `wait`, queue for them (202)',
    access: 'user',
    auth: ofProject,
    body: exactly({ ...wanted, wait: Type.Optional(Wait) }),
    mayWait: true,
    reply: Type.Object({
      state: Type.Unsafe<'served' | 'waiting'>(Type.String({ enum: ['served', 'waiting'] })),
      nodes: Labels,
      claim: orNull(Type.String({ description: 'pass it to show_claim; null: nothing waits' })),
      place: orNull(Type.Integer({ description: 'its place in line' })),
    }),
    handle: async (context, { params, body }, { accepted }) => {
      const answer = await context.write((op) => projectClaim(op, { ...params, ...body }), { queue: claimQueue });
      if (answer.state === 'waiting') accepted();
      return answer;
    },
  }),
  route({
    name: 'project_claim_preview',
    endpoint: 'POST /project/:project/claim/preview',
    summary: 'Count the free nodes that fit a claim, and list those that it would reserve',
    access: 'user',
    effect: 'reads',
    auth: ofProject,
    body: exactly(wanted),
    reply: Type.Object({
      fit: Type.Integer({ description: 'how many free nodes fit' }),
      nodes: Labels,
      refusal: orNull(Type.String({ description: 'why the claim would be refused' })),
    }),
    handle: (context, { params, body }) => context.read((op) => projectClaimPreview(op, { ...params, ...body })),
  }),
  route({
    name: 'list_project_claims',
    endpoint: 'GET /project/:project/claims',
    summary: "List a project's claims that wait, and those that ended lately",
    access: 'user',
    auth: ofProject,
    reply: Type.Array(Claim),
    handle: (context, { params }) => context.read((op) => listProjectClaims(op, params)),
  }),
  route({
    name: 'show_claim',
    endpoint: 'GET /claim/:claim',
    summary: 'Show a claim that waits, or did',
    access: 'user',
    auth: ofClaim,
    reply: Claim,
    handle: (context, { params }) => context.read((op) => showClaim(op, params)),
  }),
  route({
    name: 'claim_cancel',
    endpoint: 'DELETE /claim/:claim',
    summary: 'Cancel a claim that waits',
    access: 'user',
    auth: ofClaim,
    handle: (context, { params }) => context.write((op) => claimCancel(op, params), { queue: claimQueue }),
  }),
];
