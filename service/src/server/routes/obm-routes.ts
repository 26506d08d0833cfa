import { Type } from '@sinclair/typebox';
import { showObmd } from '../../core/bmcs.ts';
import { showConsole, showConsoleClient } from '../../core/console.ts';
import {
  findManageable,
  nodePowerCycle,
  nodePowerOff,
  nodePowerOn,
  nodePowerStatus,
  nodeSetBootdev,
  nodeSetObm,
  nodeSetObmd,
} from '../../core/obm.ts';
import { oneLine } from '../../schema/labels.ts';
import { consoleRoute, type Route, route } from '../route.ts';
import { exactly, Obmd, orNull } from '../schemas.ts';

const auth = "Project access to the node's project; Admin for a free node";

export const obmRoutes: readonly Route[] = [
  route({
    name: 'node_set_obm',
    endpoint: 'PUT /node/:node/obm',
    summary: 'Enable or disable out-of-band management of a node',
    access: 'user',
    devices: 'changes',
    auth,
    body: exactly({ enabled: Type.Boolean() }),
    handle: (context, { params: args, body }) => nodeSetObm(context, { ...args, ...body }),
  }),
  route({
    name: 'show_obmd',
    endpoint: 'GET /node/:node/obmd',
    summary: 'Show the address of the OBM daemon of a node, and whether it is the one inside the service',
    access: 'admin',
    reply: Type.Object({ uri: Type.String(), inside: Type.Boolean() }),
    handle: (context, { params: args }) => showObmd(context, args),
  }),
  route({
    name: 'node_set_obmd',
    endpoint: 'PUT /node/:node/obmd',
    summary: 'Set the address of the OBM daemon of a node',
    access: 'admin',
    body: Obmd,
    handle: (context, { params: args, body }) => nodeSetObmd(context, { ...args, ...body }),
  }),
  route({
    name: 'node_power_on',
    endpoint: 'POST /node/:node/power_on',
    summary: 'Power a node on',
    access: 'user',
    devices: 'changes',
    auth,
    handle: (context, { params: args }) => nodePowerOn(context, args),
  }),
  route({
    name: 'node_power_off',
    endpoint: 'POST /node/:node/power_off',
    summary: 'Power a node off',
    access: 'user',
    devices: 'changes',
    auth,
    handle: (context, { params: args }) => nodePowerOff(context, args),
  }),
  route({
    name: 'node_power_cycle',
    endpoint: 'POST /node/:node/power_cycle',
    summary: 'Restart a node and boot it from the network',
    access: 'user',
    devices: 'changes',
    auth,
    body: exactly({ force: Type.Optional(Type.Boolean()) }),
    handle: (context, { params: args, body }) => nodePowerCycle(context, { ...args, ...body }),
  }),
  route({
    name: 'node_power_status',
    endpoint: 'GET /node/:node/power_status',
    summary: 'Show whether a node is on or off',
    access: 'user',
    devices: 'asks',
    auth,
    reply: Type.Object({ power_status: Type.String() }),
    handle: (context, { params: args }) => nodePowerStatus(context, args),
  }),
  route({
    name: 'node_set_bootdev',
    endpoint: 'PUT /node/:node/boot_device',
    summary: "Set a node's next boot device",
    access: 'user',
    devices: 'changes',
    auth,
    body: exactly({
      bootdev: Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: oneLine,
        description: 'a boot device: "pxe", "disk" or "none" for IPMI',
      }),
    }),
    handle: (context, { params: args, body }) => nodeSetBootdev(context, { ...args, ...body }),
  }),
  consoleRoute({
    name: 'show_console',
    endpoint: 'GET /node/:node/console',
    summary: "Stream a node's serial console, with input over a WebSocket; a new client disconnects the previous one",
    access: 'user',
    effect: 'changes',
    devices: 'changes',
    auth,
    handle: (context, { params: args }, { gone, wantsWebSocket }) =>
      showConsole(context, { ...args, use: wantsWebSocket ? 'read-write' : 'read-only' }, gone()),
    recheckAccess: (context, { params: args }) => context.read((op) => findManageable(op, args.node)),
  }),
  route({
    name: 'show_console_client',
    endpoint: 'GET /node/:node/console/client',
    summary: "Show who has a node's serial console open, without taking it over",
    access: 'user',
    auth,
    reply: Type.Object({
      client: orNull(
        Type.Object(
          {
            caller: orNull(Type.String({ description: 'null: no longer in the history' })),
            since: orNull(Type.String({ description: 'a time such as 2026-01-31T12:00:00.000Z' })),
          },
          { description: 'null: nobody' },
        ),
      ),
    }),
    handle: (context, { params: args }) => context.read((op) => showConsoleClient(op, args)),
  }),
];
