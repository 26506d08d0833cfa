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
import { exactly, Labels, orNull } from '../schemas.ts';

const params = exactly({ headnode: Label });
const hnicParams = exactly({ headnode: Label, hnic: Label });
const auth = 'Project access to the owning project, or Admin';

export const headnodeRoutes: readonly Route[] = [
  ...['/headnode_images/', '/headnode_images'].map((path) =>
    route({
      name: 'list_headnode_images',
      method: 'GET',
      path,
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
    method: 'GET',
    path: '/headnode/:headnode',
    summary: 'Show a headnode',
    access: 'user',
    devices: 'asks',
    auth,
    params,
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
    method: 'PUT',
    path: '/headnode/:headnode',
    summary: 'Create a headnode',
    access: 'user',
    devices: 'changes',
    auth: 'Project access, or Admin',
    params: exactly({ headnode: NewLabel }),
    body: exactly({
      project: Label,
      base_img: Type.String({ maxLength: 255, pattern: oneLine, description: 'the name of an installed image' }),
    }),
    handle: (context, { params: args, body }) => headnodeCreate(context, { ...args, ...body }),
  }),
  route({
    name: 'headnode_delete',
    method: 'DELETE',
    path: '/headnode/:headnode',
    summary: 'Delete a headnode and its hnics',
    access: 'user',
    devices: 'changes',
    auth,
    params,
    handle: (context, { params: args }) => headnodeDelete(context, args),
  }),
  route({
    name: 'headnode_start',
    method: 'POST',
    path: '/headnode/:headnode/start',
    summary: 'Start a headnode; from then on it cannot be changed',
    access: 'user',
    devices: 'changes',
    auth,
    params,
    handle: (context, { params: args }) => headnodeStart(context, args),
  }),
  route({
    name: 'headnode_stop',
    method: 'POST',
    path: '/headnode/:headnode/stop',
    summary: 'Force a headnode off',
    access: 'user',
    devices: 'changes',
    auth,
    params,
    handle: (context, { params: args }) => headnodeStop(context, args),
  }),
  tunnelRoute({
    name: 'headnode_vnc',
    method: 'GET',
    path: '/headnode/:headnode/vnc',
    summary: "Open a headnode's screen: a WebSocket tunnel to its VNC port",
    access: 'user',
    effect: 'changes',
    devices: 'changes',
    auth,
    params,
    handle: (context, { params: args }) => headnodeVnc(context, args),
    recheckAccess: (context, { params: args }) => context.read((op) => findOwnHeadnode(op, args.headnode)),
  }),
  route({
    name: 'headnode_delete_leftover',
    method: 'DELETE',
    path: '/headnode_leftover/:uuid',
    summary: 'Remove a machine without a recorded headnode from the hypervisor',
    access: 'admin',
    devices: 'changes',
    auth: 'Admin',
    params: exactly({ uuid: Label }),
    handle: (context, { params: args }) => headnodeDeleteLeftover(context, args),
  }),
  route({
    name: 'headnode_create_hnic',
    method: 'PUT',
    path: '/headnode/:headnode/hnic/:hnic',
    summary: 'Add an hnic to a headnode',
    access: 'user',
    auth,
    params: exactly({ headnode: Label, hnic: NewLabel }),
    handle: (context, { params: args }) => context.write((op) => headnodeCreateHnic(op, args)),
  }),
  route({
    name: 'headnode_delete_hnic',
    method: 'DELETE',
    path: '/headnode/:headnode/hnic/:hnic',
    summary: 'Remove an hnic from a headnode',
    access: 'user',
    auth,
    params: hnicParams,
    handle: (context, { params: args }) => context.write((op) => headnodeDeleteHnic(op, args)),
  }),
  route({
    name: 'headnode_connect_network',
    method: 'POST',
    path: '/headnode/:headnode/hnic/:hnic/connect_network',
    summary: 'Attach a network to an hnic',
    access: 'user',
    auth,
    params: hnicParams,
    body: exactly({ network: Label }),
    handle: (context, { params: args, body }) =>
      context.write((op) => headnodeConnectNetwork(op, { ...args, ...body })),
  }),
  route({
    name: 'headnode_detach_network',
    method: 'POST',
    path: '/headnode/:headnode/hnic/:hnic/detach_network',
    summary: 'Detach the network from an hnic',
    access: 'user',
    auth,
    params: hnicParams,
    handle: (context, { params: args }) => context.write((op) => headnodeDetachNetwork(op, args)),
  }),
];
