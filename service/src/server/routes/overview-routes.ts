import { Type } from '@sinclair/typebox';
import { networksOverview } from '../../core/network-overview.ts';
import { nodeOverview, nodesOverview } from '../../core/node-overview.ts';
import { Label } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { exactly, Labels, orNull } from '../schemas.ts';
import { Nic, Node } from './node-routes.ts';
import { Event, Next, page, pageIn, Pending } from './overview-schemas.ts';

const NodeOverview = {
  ...Node.properties,
  nics: Type.Array(
    Type.Object({
      ...Nic.properties,
      pending: orNull(
        Type.Object(Pending, {
          description: 'the change that waits; null: none, or one that show_networking_action does not show the caller',
        }),
      ),
    }),
  ),
  obm_enabled: orNull(Type.Boolean({ description: 'null: shown to the project of the node and administrators only' })),
  blocked: orNull(
    Type.Array(
      Type.Object({
        kind: Type.String({
          description:
            '`gate` (being cleaned, or quarantined), `network`, `action` (a pending one), `port` (not to be trusted), `switch` (registered twice) or `obm` (enabled)',
        }),
        nic: orNull(Type.String()),
        network: orNull(Type.String({ description: 'the network that the nic is on, for `network`' })),
        switch: orNull(
          Type.String({ description: 'where it is, for `port` and `switch`; null: shown to administrators only' }),
        ),
        port: orNull(Type.String({ description: 'the same, for `port`' })),
        message: Type.String({ description: 'what the call would refuse with' }),
      }),
      {
        description:
          'what keeps a free node from being reserved, or a reserved one from leaving its project; null: shown to members of projects and administrators only',
      },
    ),
  ),
};

const NetworkOverview = Type.Object({
  name: Type.String(),
  network_id: Type.String(),
  channels: Type.Array(Type.String()),
  owner: Type.String(),
  access: orNull(Labels),
  use: orNull(
    Type.String({
      description: 'why the caller may use it: `own`, `granted` or `public`; null: shown to an administrator only',
    }),
  ),
  nodes: Type.Integer({ description: 'nodes on it, as far as the caller may see them' }),
  nics: Type.Integer({ description: 'nics of these' }),
});

/** Lists with everything that people look for in them, by a few statements. */
export const overviewRoutes: readonly Route[] = [
  route({
    name: 'nodes_overview',
    endpoint: 'GET /overview/nodes',
    summary: 'List nodes with everything that show_node shows, their OBM state and what blocks them, a page at a time',
    access: 'anyone',
    auth: 'Everybody for free nodes and the names of all; a project sees its own nodes; Admin sees all',
    query: exactly({
      ...page,
      which: Type.Optional(
        Type.Union([Type.Literal('all'), Type.Literal('free'), Type.Literal('mine')], {
          description: '"all", "free", or "mine": those in projects of the caller',
        }),
      ),
      project: Type.Optional(Type.String({ ...Label, description: 'only nodes of this project; needs access to it' })),
    }),
    reply: Type.Object({
      event: Event,
      nodes: Type.Array(Type.Object(NodeOverview)),
      others: Type.Array(Type.String(), {
        description: 'names of nodes in projects that the caller has no access to',
      }),
      next: Next,
    }),
    handle: (context, { query: { which = 'all', project, ...rest } }) =>
      nodesOverview(context, { which, ...pageIn(rest), ...(project === undefined ? {} : { project }) }),
  }),
  route({
    name: 'node_overview',
    endpoint: 'GET /overview/node/:node',
    summary: 'Show a node with its OBM state and what blocks it',
    access: 'anyone',
    auth: "Everybody for a free node; otherwise Project access to the node's project; Admin sees ports too",
    reply: Type.Object({ event: Event, ...NodeOverview }),
    handle: (context, { params }) => nodeOverview(context, params),
  }),
  route({
    name: 'networks_overview',
    endpoint: 'GET /overview/networks',
    summary: 'List every network that the caller may see or use, with owner, access, VLAN and how much is on it',
    access: 'anyone',
    auth: 'Everybody for public networks; a project also sees its own and those it has access to; Admin sees all',
    reply: Type.Object({ event: Event, networks: Type.Array(NetworkOverview) }),
    handle: (context) => networksOverview(context),
  }),
];
