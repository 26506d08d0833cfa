import { Type } from '@sinclair/typebox';
import { listSwitches, showSwitch, switchDelete, switchRegister } from '../../core/switches.ts';
import { Label, NewLabel, oneLine } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { exactly, Labels } from '../schemas.ts';

const params = exactly({ switch: Label });

export const switchRoutes: readonly Route[] = [
  route({
    name: 'list_switches',
    method: 'GET',
    path: '/switches',
    summary: 'List all switches',
    access: 'admin',
    auth: 'Admin',
    reply: Labels,
    handle: (desk) => desk.read(listSwitches),
  }),
  route({
    name: 'show_switch',
    method: 'GET',
    path: '/switch/:switch',
    summary: 'Show a switch and its ports',
    access: 'admin',
    auth: 'Admin',
    params,
    reply: Type.Object({
      name: Type.String(),
      ports: Labels,
      type: Type.String(),
      capabilities: Type.Array(Type.Literal('nativeless-trunk-mode')),
    }),
    handle: (desk, { params: args }) => desk.read((op) => showSwitch(op, args)),
  }),
  route({
    name: 'switch_register',
    method: 'PUT',
    path: '/switch/:switch',
    summary: 'Register a switch; the fields beside `type` are its driver’s',
    access: 'admin',
    auth: 'Admin',
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
    handle: (desk, { params: args, body: { type, ...fields } }) =>
      desk.write((op) => switchRegister(op, { ...args, type, fields })),
  }),
  route({
    name: 'switch_delete',
    method: 'DELETE',
    path: '/switch/:switch',
    summary: 'Delete a switch without ports',
    access: 'admin',
    auth: 'Admin',
    params,
    handle: (desk, { params: args }) => desk.write((op) => switchDelete(op, args)),
  }),
];
