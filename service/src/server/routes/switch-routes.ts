import { Type } from '@sinclair/typebox';
import { listSwitches, listSwitchTypes, showSwitch, switchDelete, switchRegister } from '../../core/switches.ts';
import { Label, NewLabel, oneLine, PortLabel } from '../../schema/labels.ts';
import { switchTest } from '../../core/switch-test.ts';
import { switchUpdate } from '../../core/switch-update.ts';
import { type Route, route } from '../route.ts';
import { exactly, Labels, orNull } from '../schemas.ts';
import { Reading } from './drift-routes.ts';

const Capabilities = Type.Array(Type.Literal('nativeless-trunk-mode'));

const SwitchType = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: oneLine,
  description: 'the type of a configured switch driver',
});

const Vlan = Type.Integer({ minimum: 1, maximum: 4094, description: 'a VLAN id, 1 to 4094' });

const DryRunRequest = Type.Union(
  [
    exactly({ node: Label, nic: Label, network: Label, channel: Type.Optional(PortLabel) }),
    exactly({ port: PortLabel, native: orNull(Vlan), tagged: Type.Array(Vlan, { maxItems: 4094 }) }),
  ],
  {
    description: 'an object with "node", "nic", "network" and perhaps "channel", or with "port", "native" and "tagged"',
  },
);

const OrNull = orNull(Type.String());

const TestResult = Type.Object({
  switch: Type.String(),
  type: Type.String(),
  fault: orNull(Type.String({ description: 'what did not work; what comes after it was not tried' })),
  identity: orNull(Type.String({ description: 'the identity that the device reports' })),
  about: orNull(Type.String({ description: 'its model and software, as it reports them' })),
  lacks: orNull(
    Type.Array(Type.String(), {
      description: 'what the login may not do that is needed; null: the switch cannot be asked',
    }),
  ),
  ports: Type.Array(
    Type.Object({
      port: Type.String(),
      registered: Type.Boolean(),
      node: OrNull,
      nic: OrNull,
      carries: orNull(Reading),
    }),
    { description: 'the registered ports, or all of the device if none is registered, and what they carry now' },
  ),
  dry_run: orNull(
    Type.Object({
      port: Type.String(),
      native: orNull(Type.Integer()),
      tagged: Type.String(),
      refused: orNull(Type.String({ description: 'why the port would not be changed' })),
      sends: Type.Array(Type.String(), { description: 'what would be sent, message by message, without secrets' }),
    }),
  ),
});

/** What a switch was registered with. */
export const Registration = {
  capabilities: Capabilities,
  fields: Type.Record(Type.String(), Type.Unknown()),
  secrets: Type.Array(Type.String()),
  identity: Type.Optional(Type.String({ description: 'the identity that the device reports; only if it does' })),
};

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
      ...Registration,
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
        type: SwitchType,
      },
      { additionalProperties: true },
    ),
    handle: (context, { params: args, body: { type, ...fields } }) =>
      switchRegister(context, { ...args, type, fields }),
  }),
  route({
    name: 'switch_update',
    endpoint: 'PATCH /switch/:switch',
    summary:
      'Change fields of a switch; fields that are not named stay, and null removes one. Nodes and networks stay on it',
    access: 'admin',
    devices: 'asks',
    body: Type.Object(
      { type: Type.Optional(SwitchType) },
      { additionalProperties: true, description: 'fields as in switch_register; `type` can only be what it is' },
    ),
    handle: (context, { params: args, body: { type, ...fields } }) =>
      switchUpdate(context, { ...args, ...(type === undefined ? {} : { type }), fields }),
  }),
  route({
    name: 'switch_test',
    endpoint: 'POST /switch/:switch/test',
    summary: 'Open a session with a switch, registered or not, and tell what it finds; nothing is changed',
    access: 'admin',
    devices: 'asks',
    body: exactly({
      as: Type.Optional(
        Type.Object(
          { type: SwitchType },
          {
            additionalProperties: true,
            description: 'type and fields as in switch_register, to be tried instead of those that are registered',
          },
        ),
      ),
      dry_run: Type.Optional(DryRunRequest),
    }),
    reply: TestResult,
    handle: (context, { params, body }) => switchTest(context, { ...params, ...body }),
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
