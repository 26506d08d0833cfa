import { Type } from '@sinclair/typebox';
import { networkGrantProjectAccess, networkRevokeProjectAccess } from '../../core/network-access.ts';
import { listNetworkAttachments } from '../../core/attachments.ts';
import { listNetworks, networkCreate, networkDelete, showNetwork } from '../../core/networks.ts';
import { Label, NewLabel, oneLine } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { byLabel, exactly, Force, Labels, orNull } from '../schemas.ts';

const NewNetwork = exactly({
  owner: Type.String({ ...Label, description: 'a project, or "admin" for the operator' }),
  access: Type.Union([Label, Type.Literal('')], { description: 'a project, or an empty string for a public network' }),
  net_id: Type.String({
    maxLength: 16,
    pattern: oneLine,
    description: 'a VLAN id as a string, or an empty string to have one chosen',
  }),
  force: Force,
});

const Network = Type.Object({
  name: Type.String(),
  channels: Type.Array(Type.String()),
  owner: Type.String(),
  access: orNull(Labels),
  'connected-nodes': byLabel(Labels),
});

const Attachment = Type.Object({
  nic: Type.String(),
  channel: Type.String(),
  project: orNull(Type.String()),
  attachments: Type.Array(Type.Object({ nic: Type.String(), channel: Type.String() })),
});

export const networkRoutes: readonly Route[] = [
  route({
    name: 'list_networks',
    endpoint: 'GET /networks',
    summary: 'List networks: an administrator sees all, everyone else the public ones',
    access: 'anyone',
    auth: 'Admin for all, everybody for public ones',
    reply: byLabel(Type.Object({ network_id: Type.String(), projects: orNull(Labels) })),
    handle: (context) => context.read(listNetworks),
  }),
  route({
    name: 'show_network',
    endpoint: 'GET /network/:network',
    summary: 'Show a network',
    access: 'anyone',
    auth: 'Everybody for a public network; otherwise a project in its access list, or Admin',
    reply: Network,
    handle: (context, { params: args }) => context.read((op) => showNetwork(op, args)),
  }),
  route({
    name: 'network_create',
    endpoint: 'PUT /network/:network',
    summary: 'Create a network',
    access: 'user',
    auth: 'Project access if owner and access are that project and net_id is empty; otherwise Admin',
    params: exactly({ network: NewLabel }),
    body: NewNetwork,
    // Callers that need a VLAN from the pool queue for it: all would pick the same smallest free one.
    handle: (context, { params: args, body }) =>
      context.write((op) => networkCreate(op, { ...args, ...body }), { queue: 'vlans' }),
  }),
  route({
    name: 'network_delete',
    endpoint: 'DELETE /network/:network',
    summary: 'Delete a network that nothing is connected to',
    access: 'user',
    auth: 'Project access to the owner, or Admin',
    handle: (context, { params: args }) => context.write((op) => networkDelete(op, args)),
  }),
  route({
    name: 'list_network_attachments',
    endpoint: 'GET /network/:network/attachments',
    summary: 'List the nodes on a network',
    access: 'user',
    auth: 'Admin or the owner sees all; other projects see their own nodes',
    query: exactly({ project: Type.Optional(Type.String({ ...Label, description: 'only nodes of this project' })) }),
    reply: byLabel(Attachment),
    handle: (context, { params: args, query }) =>
      context.read((op) => listNetworkAttachments(op, { ...args, ...query })),
  }),
  route({
    name: 'network_grant_project_access',
    endpoint: 'PUT /network/:network/access/:project',
    summary: "Add a project to a network's access list",
    access: 'user',
    auth: 'Admin, or the owner of the network',
    handle: (context, { params: args }) => context.write((op) => networkGrantProjectAccess(op, args)),
  }),
  route({
    name: 'network_revoke_project_access',
    endpoint: 'DELETE /network/:network/access/:project',
    summary: "Remove a project from a network's access list",
    access: 'user',
    auth: 'Admin, the owner of the network, or the project itself',
    handle: (context, { params: args }) => context.write((op) => networkRevokeProjectAccess(op, args)),
  }),
];
