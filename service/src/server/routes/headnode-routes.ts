import { Type } from '@sinclair/typebox';
import { headnodeDelete, headnodeStart, headnodeStop } from '../../core/headnode-lifecycle.ts';
import { findOwnHeadnode, headnodeCreate, listHeadnodeImages, showHeadnode } from '../../core/headnodes.ts';
import {
  headnodeConnectNetwork,
  headnodeCreateHnic,
  headnodeDeleteHnic,
  headnodeDetachNetwork,
} from '../../core/hnics.ts';
import { headnodeDeleteLeftover } from '../../core/leftovers.ts';
import { headnodeVnc } from '../../core/vnc.ts';
import { Label, NewLabel, oneLine } from '../../schema/labels.ts';
import { type Route, route, tunnelRoute } from '../route.ts';
import { exactly, Force, Labels, orNull } from '../schemas.ts';

const auth = 'Project access to the owning project, or Admin';

export const headnodeRoutes: readonly Route[] = [
  ...(['GET /headnode_images/', 'GET /headnode_images'] as const).map((endpoint) =>
    route({
      name: 'list_headnode_images',
      endpoint,
      summary: 'List the images for headnodes',
      access: 'user',
      devices: 'asks',
      auth: 'Any authenticated caller',
      reply: Labels,
      handle: (context) => listHeadnodeImages(context),
    }),
  ),
  route({
    name: 'show_headnode',
    endpoint: 'GET /headnode/:headnode',
    summary: 'Show a headnode',
    access: 'user',
    devices: 'asks',
    auth,
    reply: Type.Object({
      name: Type.String(),
      project: Type.String(),
      hnics: Labels,
      nics: Labels,
      vncport: orNull(Type.Integer()),
      uuid: Type.String(),
      base_img: Type.String(),
    }),
    handle: (context, { params: args }) => showHeadnode(context, args),
  }),
  route({
    name: 'headnode_create',
    endpoint: 'PUT /headnode/:headnode',
    summary: 'Create a headnode',
    access: 'user',
    devices: 'changes',
    auth: 'Project access, or Admin',
    params: exactly({ headnode: NewLabel }),
    body: exactly({
      project: Label,
      base_img: Type.String({ maxLength: 255, pattern: oneLine, description: 'the name of an installed image' }),
      force: Force,
    }),
    handle: (context, { params: args, body }) => headnodeCreate(context, { ...args, ...body }),
  }),
  route({
    name: 'headnode_delete',
    endpoint: 'DELETE /headnode/:headnode',
    summary: 'Delete a headnode and its hnics',
    access: 'user',
    devices: 'changes',
    auth,
    handle: (context, { params: args }) => headnodeDelete(context, args),
  }),
  route({
    name: 'headnode_start',
    endpoint: 'POST /headnode/:headnode/start',
    summary: 'Start a headnode; from then on it cannot be changed',
    access: 'user',
    devices: 'changes',
    auth,
    handle: (context, { params: args }) => headnodeStart(context, args),
  }),
  route({
    name: 'headnode_stop',
    endpoint: 'POST /headnode/:headnode/stop',
    summary: 'Force a headnode off',
    access: 'user',
    devices: 'changes',
    auth,
    handle: (context, { params: args }) => headnodeStop(context, args),
  }),
  tunnelRoute({
    name: 'headnode_vnc',
    endpoint: 'GET /headnode/:headnode/vnc',
    summary: "Open a headnode's screen: a WebSocket tunnel to its VNC port",
    access: 'user',
    effect: 'changes',
    devices: 'changes',
    auth,
    handle: (context, { params: args }) => headnodeVnc(context, args),
    recheckAccess: (context, { params: args }) => context.read((op) => findOwnHeadnode(op, args.headnode)),
  }),
  route({
    name: 'headnode_delete_leftover',
    endpoint: 'DELETE /headnode_leftover/:uuid',
    summary: 'Remove a machine without a recorded headnode from the hypervisor',
    access: 'admin',
    devices: 'changes',
    handle: (context, { params: args }) => headnodeDeleteLeftover(context, args),
  }),
  route({
    name: 'headnode_create_hnic',
    endpoint: 'PUT /headnode/:headnode/hnic/:hnic',
    summary: 'Add an hnic to a headnode',
    access: 'user',
    auth,
    params: exactly({ headnode: Label, hnic: NewLabel }),
    handle: (context, { params: args }) => context.write((op) => headnodeCreateHnic(op, args)),
  }),
  route({
    name: 'headnode_delete_hnic',
    endpoint: 'DELETE /headnode/:headnode/hnic/:hnic',
    summary: 'Remove an hnic from a headnode',
    access: 'user',
    auth,
    handle: (context, { params: args }) => context.write((op) => headnodeDeleteHnic(op, args)),
  }),
  route({
    name: 'headnode_connect_network',
    endpoint: 'POST /headnode/:headnode/hnic/:hnic/connect_network',
    summary: 'Attach a network to an hnic',
    access: 'user',
    auth,
    body: exactly({ network: Label }),
    handle: (context, { params: args, body }) =>
      context.write((op) => headnodeConnectNetwork(op, { ...args, ...body })),
  }),
  route({
    name: 'headnode_detach_network',
    endpoint: 'POST /headnode/:headnode/hnic/:hnic/detach_network',
    summary: 'Detach the network from an hnic',
    access: 'user',
    auth,
    handle: (context, { params: args }) => context.write((op) => headnodeDetachNetwork(op, args)),
  }),
];
