import { Type } from '@corral/base/schema/type';
import { showConsole } from '../../core/console.ts';
import {
  findManageable,
  nodePowerCycle,
  nodePowerOff,
  nodePowerOn,
  nodePowerStatus,
  nodeSetBootdev,
  nodeSetObm,
  nodeSetObmd,
  showObmd,
} from '../../core/obm.ts';
import { Label, oneLine } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { exactly, Obmd } from '../schemas.ts';

const params = exactly({ node: Label });
const auth = "Project access to the node's project; Admin for a free node";

export const obmRoutes: readonly Route[] = [
  route({
    name: 'node_set_obm',
    method: 'PUT',
    path: '/node/:node/obm',
    summary: 'Enable or disable out-of-band management of a node',
    access: 'user',
    auth,
    params,
    body: exactly({ enabled: Type.Boolean() }),
    handle: (desk, { params: args, body }) => nodeSetObm(desk, { ...args, ...body }),
  }),
  route({
    name: 'show_obmd',
    method: 'GET',
    path: '/node/:node/obmd',
    summary: 'Show where the OBM daemon of a node is',
    access: 'admin',
    auth: 'Admin',
    params,
    reply: Type.Object({ uri: Type.String() }),
    handle: (desk, { params: args }) => desk.read((op) => showObmd(op, args)),
  }),
  route({
    name: 'node_set_obmd',
    method: 'PUT',
    path: '/node/:node/obmd',
    summary: 'Tell where the OBM daemon of a node is now',
    access: 'admin',
    auth: 'Admin',
    params,
    body: Obmd,
    handle: (desk, { params: args, body }) => nodeSetObmd(desk, { ...args, ...body }),
  }),
  route({
    name: 'node_power_on',
    method: 'POST',
    path: '/node/:node/power_on',
    summary: 'Power a node on',
    access: 'user',
    auth,
    params,
    handle: (desk, { params: args }) => nodePowerOn(desk, args),
  }),
  route({
    name: 'node_power_off',
    method: 'POST',
    path: '/node/:node/power_off',
    summary: 'Power a node off',
    access: 'user',
    auth,
    params,
    handle: (desk, { params: args }) => nodePowerOff(desk, args),
  }),
  route({
    name: 'node_power_cycle',
    method: 'POST',
    path: '/node/:node/power_cycle',
    summary: 'Restart a node and boot it from the network',
    access: 'user',
    auth,
    params,
    body: Type.Object({ force: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
    handle: (desk, { params: args, body }) => nodePowerCycle(desk, { ...args, ...body }),
  }),
  route({
    name: 'node_power_status',
    method: 'GET',
    path: '/node/:node/power_status',
    summary: 'Is a node on or off?',
    access: 'user',
    auth,
    params,
    reply: Type.Object({ power_status: Type.String() }),
    handle: (desk, { params: args }) => nodePowerStatus(desk, args),
  }),
  route({
    name: 'node_set_bootdev',
    method: 'PUT',
    path: '/node/:node/boot_device',
    summary: "Set a node's next boot device",
    access: 'user',
    auth,
    params,
    body: exactly({
      bootdev: Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: oneLine,
        description: 'a boot device: "pxe", "disk" or "none" for IPMI',
      }),
    }),
    handle: (desk, { params: args, body }) => nodeSetBootdev(desk, { ...args, ...body }),
  }),
  route({
    name: 'show_console',
    method: 'GET',
    path: '/node/:node/console',
    summary: "Stream a node's serial console, or type too over a WebSocket; a new client disconnects the one before",
    access: 'user',
    effect: 'changes',
    auth,
    params,
    reply: 'application/octet-stream',
    handle: (desk, { params: args }, { gone, wantsWebSocket }) =>
      showConsole(desk, { ...args, use: wantsWebSocket ? 'talk' : 'watch' }, gone()),
    stillMay: (desk, { params: args }) => desk.read((op) => findManageable(op, args.node)),
  }),
];
