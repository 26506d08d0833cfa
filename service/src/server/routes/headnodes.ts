import { Type } from '@corral/base/schema/type';
import { headnodeDelete, headnodeStart, headnodeStop } from '../../core/headnode-life.ts';
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
import { type Route, route } from '../route.ts';
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
      summary: 'List the images a headnode can be made from',
      access: 'user',
      auth: 'Any authenticated caller',
      reply: Labels,
      handle: (desk) => listHeadnodeImages(desk),
    }),
  ),
  route({
    name: 'show_headnode',
    method: 'GET',
    path: '/headnode/:headnode',
    summary: 'Show a headnode',
    access: 'user',
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
    handle: (desk, { params: args }) => showHeadnode(desk, args),
  }),
  route({
    name: 'headnode_create',
    method: 'PUT',
    path: '/headnode/:headnode',
    summary: 'Create a headnode',
    access: 'user',
    auth: 'Project access, or Admin',
    params: exactly({ headnode: NewLabel }),
    body: exactly({
      project: Label,
      base_img: Type.String({ maxLength: 255, pattern: oneLine, description: 'the name of an installed image' }),
    }),
    handle: (desk, { params: args, body }) => headnodeCreate(desk, { ...args, ...body }),
  }),
  route({
    name: 'headnode_delete',
    method: 'DELETE',
    path: '/headnode/:headnode',
    summary: 'Delete a headnode and its hnics',
    access: 'user',
    auth,
    params,
    handle: (desk, { params: args }) => headnodeDelete(desk, args),
  }),
  route({
    name: 'headnode_start',
    method: 'POST',
    path: '/headnode/:headnode/start',
    summary: 'Start a headnode; from then on it cannot be changed',
    access: 'user',
    auth,
    params,
    handle: (desk, { params: args }) => headnodeStart(desk, args),
  }),
  route({
    name: 'headnode_stop',
    method: 'POST',
    path: '/headnode/:headnode/stop',
    summary: 'Cut the power of a headnode',
    access: 'user',
    auth,
    params,
    handle: (desk, { params: args }) => headnodeStop(desk, args),
  }),
  route({
    name: 'headnode_vnc',
    method: 'GET',
    path: '/headnode/:headnode/vnc',
    summary: "A headnode's screen: a WebSocket that is carried through to its VNC port",
    access: 'user',
    effect: 'changes',
    auth,
    params,
    reply: 'application/octet-stream',
    handle: (desk, { params: args }) => headnodeVnc(desk, args),
    stillMay: (desk, { params: args }) => desk.read((op) => findOwnHeadnode(op, args.headnode)),
  }),
  route({
    name: 'headnode_delete_leftover',
    method: 'DELETE',
    path: '/headnode_leftover/:uuid',
    summary: 'Remove a machine from the hypervisor that no headnode is recorded for',
    access: 'admin',
    auth: 'Admin',
    params: exactly({ uuid: Label }),
    handle: (desk, { params: args }) => headnodeDeleteLeftover(desk, args),
  }),
  route({
    name: 'headnode_create_hnic',
    method: 'PUT',
    path: '/headnode/:headnode/hnic/:hnic',
    summary: 'Add an hnic to a headnode',
    access: 'user',
    auth,
    params: exactly({ headnode: Label, hnic: NewLabel }),
    handle: (desk, { params: args }) => desk.write((op) => headnodeCreateHnic(op, args)),
  }),
  route({
    name: 'headnode_delete_hnic',
    method: 'DELETE',
    path: '/headnode/:headnode/hnic/:hnic',
    summary: 'Remove an hnic from a headnode',
    access: 'user',
    auth,
    params: hnicParams,
    handle: (desk, { params: args }) => desk.write((op) => headnodeDeleteHnic(op, args)),
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
    handle: (desk, { params: args, body }) => desk.write((op) => headnodeConnectNetwork(op, { ...args, ...body })),
  }),
  route({
    name: 'headnode_detach_network',
    method: 'POST',
    path: '/headnode/:headnode/hnic/:hnic/detach_network',
    summary: 'Detach the network from an hnic',
    access: 'user',
    auth,
    params: hnicParams,
    handle: (desk, { params: args }) => desk.write((op) => headnodeDetachNetwork(op, args)),
  }),
];
