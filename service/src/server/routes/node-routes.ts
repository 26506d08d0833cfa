import { Type } from '@sinclair/typebox';
import { nodeConnectNetwork, nodeDetachNetwork } from '../../core/attachments.ts';
import { nodeDeleteMetadata, nodeSetMetadata } from '../../core/metadata.ts';
import { nodeDeleteNic, nodeRegisterNic } from '../../core/nics.ts';
import { listNodes, nodeDelete, nodeRegister, showNode } from '../../core/nodes.ts';
import { Label, labelRule, NewLabel, oneLine, Text } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { Accepted, byLabel, exactly, Labels, Obmd, orNull } from '../schemas.ts';

const ofNode = "Project access to the node's project, or Admin";

const NewNode = exactly({
  obmd: Type.Optional(Obmd),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      propertyNames: NewLabel,
      description: `an object whose keys are labels (${labelRule}; no invisible characters)`,
    }),
  ),
});

/** A nic as `show_node` shows it. */
export const Nic = Type.Object({
  label: Type.String(),
  macaddr: Type.String(),
  networks: byLabel(Type.String()),
  port: Type.Optional(orNull(Type.String())),
  switch: Type.Optional(orNull(Type.String())),
});

export const Node = Type.Object({
  name: Type.String(),
  project: orNull(Type.String()),
  nics: Type.Array(Nic),
  metadata: byLabel(Type.Unknown()),
});

export const nodeRoutes: readonly Route[] = [
  route({
    name: 'list_nodes',
    endpoint: 'GET /nodes/:is_free',
    summary: 'List all nodes, or the free ones',
    access: 'anyone',
    params: exactly({
      is_free: Type.Union([Type.Literal('all'), Type.Literal('free')], { description: '"all" or "free"' }),
    }),
    reply: Labels,
    cache: 'everyone',
    handle: (context, { params: args }) => listNodes(context, args),
  }),
  route({
    name: 'show_node',
    endpoint: 'GET /node/:node',
    summary: 'Show a node',
    access: 'anyone',
    auth: "Everybody for a free node; otherwise Project access to the node's project; Admin sees ports too",
    reply: Node,
    cache: 'caller',
    handle: (context, { params: args }) => showNode(context, args),
  }),
  route({
    name: 'node_register',
    endpoint: 'PUT /node/:node',
    summary: 'Register a node; without `obmd`, with the OBM daemon inside the service',
    access: 'admin',
    params: exactly({ node: NewLabel }),
    body: NewNode,
    handle: (context, { params: args, body }) => nodeRegister(context, { ...args, ...body }),
  }),
  route({
    name: 'node_delete',
    endpoint: 'DELETE /node/:node',
    summary: 'Delete a free node without nics; its BMC too, if its OBM daemon is inside the service',
    access: 'admin',
    devices: 'changes',
    handle: (context, { params: args }) => nodeDelete(context, args),
  }),
  route({
    name: 'node_register_nic',
    endpoint: 'PUT /node/:node/nic/:nic',
    summary: 'Add a nic to a node',
    access: 'admin',
    params: exactly({ node: Label, nic: NewLabel }),
    body: exactly({ macaddr: Text }),
    handle: (context, { params: args, body }) => context.write((op) => nodeRegisterNic(op, { ...args, ...body })),
  }),
  route({
    name: 'node_delete_nic',
    endpoint: 'DELETE /node/:node/nic/:nic',
    summary: 'Remove a nic from a node',
    access: 'admin',
    handle: (context, { params: args }) => context.write((op) => nodeDeleteNic(op, args)),
  }),
  route({
    name: 'node_connect_network',
    endpoint: 'POST /node/:node/nic/:nic/connect_network',
    summary: 'Queue the attachment of a network to a nic',
    access: 'user',
    devices: 'changes',
    auth: ofNode,
    body: exactly({
      network: Label,
      channel: Type.Optional(
        Type.String({
          maxLength: 64,
          pattern: oneLine,
          description: 'a channel such as "vlan/native" or "vlan/200"',
        }),
      ),
    }),
    reply: Accepted,
    status: 202,
    handle: (context, { params: args, body }) => context.write((op) => nodeConnectNetwork(op, { ...args, ...body })),
  }),
  route({
    name: 'node_detach_network',
    endpoint: 'POST /node/:node/nic/:nic/detach_network',
    summary: 'Queue the detachment of a network from a nic',
    access: 'user',
    devices: 'changes',
    auth: ofNode,
    body: exactly({ network: Label }),
    reply: Accepted,
    status: 202,
    handle: (context, { params: args, body }) => context.write((op) => nodeDetachNetwork(op, { ...args, ...body })),
  }),
  route({
    name: 'node_set_metadata',
    endpoint: 'PUT /node/:node/metadata/:label',
    summary: "Set one of a node's metadata",
    access: 'admin',
    params: exactly({ node: Label, label: NewLabel }),
    body: exactly({ value: Type.Unknown({ description: 'any JSON value' }) }),
    handle: (context, { params: args, body }) =>
      context.write((op) => nodeSetMetadata(op, { ...args, value: body.value })),
  }),
  route({
    name: 'node_delete_metadata',
    endpoint: 'DELETE /node/:node/metadata/:label',
    summary: "Delete one of a node's metadata",
    access: 'admin',
    handle: (context, { params: args }) => context.write((op) => nodeDeleteMetadata(op, args)),
  }),
];
