import { Type } from '@sinclair/typebox';
import { listSwitches, listSwitchTypes, showSwitch, switchDelete, switchRegister } from '../../core/switches.ts';
import { NewLabel, oneLine } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { exactly, Labels } from '../schemas.ts';

const Capabilities = Type.Array(Type.Literal('nativeless-trunk-mode'));

export const switchRoutes: readonly Route[] = [
  route({
    name: 'list_switches',
    endpoint: 'GET /switches',
    summary: 'List all switches',
    access: 'admin',
    reply: Labels,
    handle: (context) => context.read(listSwitches),
  }),
  route({
    name: 'list_switch_types',
    endpoint: 'GET /switch_types',
    summary: 'List the types of switches that can be registered, and the fields of each as JSON Schema',
    access: 'admin',
    reply: Type.Record(Type.String(), Type.Object({ capabilities: Capabilities, fields: Type.Unknown() })),
    handle: (context) => context.read(listSwitchTypes),
  }),
  route({
    name: 'show_switch',
    endpoint: 'GET /switch/:switch',
    summary: 'Show a switch and its ports; its fields without secrets',
    access: 'admin',
    reply: Type.Object({
      name: Type.String(),
      ports: Labels,
      type: Type.String(),
      capabilities: Capabilities,
      fields: Type.Record(Type.String(), Type.Unknown()),
      secrets: Type.Array(Type.String()),
      identity: Type.Optional(Type.String({ description: 'the identity that the device reports; only if it does' })),
      duplicate_of: Type.Optional(
        Type.String({ description: 'the switch that already has this device; this one is not used' }),
      ),
    }),
    handle: (context, { params: args }) => context.read((op) => showSwitch(op, args)),
  }),
  route({
    name: 'switch_register',
    endpoint: 'PUT /switch/:switch',
    summary: 'Register a switch; the fields beside `type` are its driver’s',
    access: 'admin',
    params: exactly({ switch: NewLabel }),
    body: Type.Object(
      {
        type: Type.String({
          minLength: 1,
          maxLength: 255,
          pattern: oneLine,
          description: 'the type of a configured switch driver',
        }),
      },
      { additionalProperties: true },
    ),
    handle: (context, { params: args, body: { type, ...fields } }) =>
      switchRegister(context, { ...args, type, fields }),
  }),
  route({
    name: 'switch_delete',
    endpoint: 'DELETE /switch/:switch',
    summary: 'Delete a switch without ports',
    access: 'admin',
    devices: 'asks',
    handle: (context, { params: args }) => context.write((op) => switchDelete(op, args)),
  }),
];
