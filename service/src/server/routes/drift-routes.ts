import { Type } from '@sinclair/typebox';
import { showDrift, showSwitchDrift, switchSetPolicy, switchSweep } from '../../core/drift.ts';
import { showLeftovers } from '../../core/leftovers.ts';
import { networkReach } from '../../core/reach.ts';
import { type Route, route } from '../route.ts';
import { exactly, orNull } from '../schemas.ts';

const OrNull = orNull(Type.String());
const Policy = Type.Unsafe<'report' | 'repair'>({
  type: 'string',
  enum: ['report', 'repair'],
  description: '`report` or `repair`',
});

export const Reading = Type.Object({
  native: orNull(Type.Integer({ description: 'the VLAN of untagged frames' })),
  tagged: Type.String({ description: 'the VLANs of tagged frames, such as `100-103, 200`' }),
  unclear: Type.Optional(
    Type.String({ description: 'what on the port is not understood, so that it may carry any VLAN; only then' }),
  ),
});

const Drift = Type.Object({
  switch: Type.String(),
  policy: Policy,
  swept_at: orNull(Type.String({ description: 'when the whole switch was last read' })),
  fault: orNull(Type.String({ description: 'why it cannot be reached now' })),
  unsaved_since: orNull(Type.String({ description: 'since when its running configuration has not been saved' })),
  save_fault: orNull(Type.String({ description: 'why it could not be saved' })),
  unread: Type.Array(Type.String(), {
    description: 'ports that have not been read since a nic was connected: their nodes cannot be reserved',
  }),
  in_doubt: Type.Array(Type.String(), {
    description: 'ports to which a change of an aborted session may still arrive: their nodes cannot change projects',
  }),
  ports: Type.Array(
    Type.Object({
      port: Type.String(),
      node: OrNull,
      nic: OrNull,
      project: OrNull,
      recorded: Reading,
      seen: orNull(Reading),
      since: Type.String(),
    }),
    { description: 'the ports that differ from what is recorded' },
  ),
});

const Reach = Type.Object({
  network: Type.String(),
  vlan: Type.Integer(),
  complete: Type.Boolean({ description: 'every switch was read for this answer, and every port of it is known' }),
  ports: Type.Array(
    Type.Object({
      switch: Type.Optional(Type.String({ description: 'administrators only' })),
      port: Type.Optional(Type.String({ description: 'administrators only' })),
      node: OrNull,
      nic: OrNull,
      project: OrNull,
      verdict: Type.String({
        description:
          '`as recorded`, `unexpected`, `missing`, `unknown`, or `unregistered`: a port that is not registered',
      }),
      channel: OrNull,
      read_at: OrNull,
    }),
  ),
  switches: Type.Optional(
    Type.Array(Type.Object({ switch: Type.String(), read_at: OrNull, fault: OrNull }), {
      description: 'the switches that were read; administrators only',
    }),
  ),
});

export const driftRoutes: readonly Route[] = [
  route({
    name: 'show_drift',
    endpoint: 'GET /drift',
    summary: 'Show how every switch, and the hypervisor, differs from what is recorded',
    access: 'admin',
    devices: 'asks',
    reply: Type.Object({
      switches: Type.Array(Drift),
      headnodes: Type.Object({
        leftovers: Type.Array(Type.String(), {
          description: 'uuids of machines on the hypervisor that no headnode is recorded for',
        }),
        fault: OrNull,
      }),
    }),
    handle: async (context) => ({ ...(await context.read(showDrift)), headnodes: await showLeftovers(context) }),
  }),
  route({
    name: 'show_switch_drift',
    endpoint: 'GET /switch/:switch/drift',
    summary: 'Show how a switch differs from what is recorded, as it was last seen',
    access: 'admin',
    reply: Drift,
    handle: (context, { params }) => context.read((op) => showSwitchDrift(op, params)),
  }),
  route({
    name: 'switch_sweep',
    endpoint: 'POST /switch/:switch/sweep',
    summary: 'Read a whole switch now and show how it differs from what is recorded',
    access: 'admin',
    devices: 'asks',
    reply: Drift,
    handle: (context, { params }) => switchSweep(context, params),
  }),
  route({
    name: 'switch_set_policy',
    endpoint: 'PUT /switch/:switch/policy',
    summary: 'Set what happens to ports that differ: report them, or repair them',
    access: 'admin',
    devices: 'changes',
    body: exactly({ policy: Policy }),
    handle: (context, { params, body }) => context.write((op) => switchSetPolicy(op, { ...params, ...body })),
  }),
  route({
    name: 'network_reach',
    endpoint: 'GET /network/:network/reach',
    summary: 'Read the switches now and list every port that carries a network, or should',
    access: 'user',
    devices: 'asks',
    auth: 'Project access to the owner of the network, or Admin',
    reply: Reach,
    handle: (context, { params }) => networkReach(context, params),
  }),
];
