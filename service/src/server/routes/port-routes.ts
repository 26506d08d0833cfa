import { Type } from '@sinclair/typebox';
import {
  portConnectNic,
  portDetachNic,
  portRevert,
  showPort,
  switchDeletePort,
  switchRegisterPort,
} from '../../core/ports.ts';
import { Label, NewPortLabel, PortLabel } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { Accepted, byLabel, exactly, orNull } from '../schemas.ts';

/** What a port was seen to carry although something else is recorded. */
const PortReading = Type.Object(
  {
    native: orNull(Type.Integer()),
    tagged: Type.String(),
    unclear: Type.Optional(
      Type.String({ description: 'what on the port is not understood, so that it may carry any VLAN; only then' }),
    ),
  },
  { description: 'what it carries, if that is not what is recorded' },
);

const params = exactly({ switch: Label, port: PortLabel });

export const portRoutes: readonly Route[] = [
  route({
    name: 'show_port',
    endpoint: 'GET /switch/:switch/port/:port',
    summary: 'Show the nic on a port and its networks; an empty object if there is none',
    access: 'admin',
    params,
    reply: Type.Object({
      node: Type.Optional(Type.String()),
      nic: Type.Optional(Type.String()),
      networks: Type.Optional(byLabel(Type.String())),
      suspect: Type.Optional(Type.String({ description: 'why the state of the port is unknown; only then' })),
      drift: Type.Optional(PortReading),
      absent: Type.Optional(Type.Boolean({ description: 'the switch has no such port; only then' })),
      unread: Type.Optional(
        Type.Boolean({ description: 'it has not been read since its nic was connected; only then' }),
      ),
      in_doubt_until: Type.Optional(
        Type.String({ description: 'until when a change of an aborted session may still arrive; only then' }),
      ),
    }),
    handle: (context, { params: args }) => context.read((op) => showPort(op, args)),
  }),
  route({
    name: 'switch_register_port',
    endpoint: 'PUT /switch/:switch/port/:port',
    summary: 'Register a port of a switch',
    access: 'admin',
    params: exactly({ switch: Label, port: NewPortLabel }),
    handle: (context, { params: args }) => context.write((op) => switchRegisterPort(op, args)),
  }),
  route({
    name: 'switch_delete_port',
    endpoint: 'DELETE /switch/:switch/port/:port',
    summary: 'Delete a port that no nic is on and that is known to carry nothing',
    access: 'admin',
    params,
    query: exactly({
      force: Type.Optional(Type.Literal('true', { description: 'true: delete it even if its state is unknown' })),
    }),
    handle: (context, { params: args, query }) => context.write((op) => switchDeletePort(op, { ...args, ...query })),
  }),
  route({
    name: 'port_connect_nic',
    endpoint: 'POST /switch/:switch/port/:port/connect_nic',
    summary: 'Record that a nic is plugged into a port',
    access: 'admin',
    devices: 'asks',
    params,
    body: exactly({ node: Label, nic: Label }),
    handle: (context, { params: args, body }) => portConnectNic(context, { ...args, ...body }),
  }),
  route({
    name: 'port_detach_nic',
    endpoint: 'POST /switch/:switch/port/:port/detach_nic',
    summary: 'Record that the nic of a free node is unplugged',
    access: 'admin',
    params,
    handle: (context, { params: args }) => context.write((op) => portDetachNic(op, args)),
  }),
  route({
    name: 'port_revert',
    endpoint: 'POST /switch/:switch/port/:port/revert',
    summary: 'Queue the detachment of a port from all networks',
    access: 'admin',
    devices: 'changes',
    params,
    reply: Accepted,
    status: 202,
    handle: (context, { params: args }) => context.write((op) => portRevert(op, args)),
  }),
];
