import { Type } from '@sinclair/typebox';
import { showNetworkingAction } from '../../core/actions.ts';
import { StatusId } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { exactly, orNull } from '../schemas.ts';

export const actionRoutes: readonly Route[] = [
  route({
    name: 'show_networking_action',
    endpoint: 'GET /networking_action/:status_id',
    summary: 'Show the status of a queued network change',
    access: 'user',
    auth: "Project access to the node's project, or Admin",
    params: exactly({ status_id: StatusId }),
    reply: Type.Object({
      status: Type.Union([Type.Literal('PENDING'), Type.Literal('DONE'), Type.Literal('ERROR')]),
      type: Type.Union([Type.Literal('modify_port'), Type.Literal('revert_port')]),
      new_network: orNull(Type.String()),
      channel: Type.String(),
      node: Type.String(),
      nic: Type.String(),
      error: orNull(Type.String()),
      queue: Type.Optional(
        Type.Object(
          {
            ahead: Type.Integer({ description: 'changes on the same switch that were queued before it' }),
            attempts: Type.Integer({ description: 'failed attempts' }),
            switch_answers: Type.Boolean({ description: 'false: the switch cannot be reached, and is retried' }),
            switch: Type.Optional(Type.String({ description: 'administrators only' })),
            port: Type.Optional(Type.String({ description: 'administrators only' })),
          },
          { description: 'what it waits for, while it is PENDING' },
        ),
      ),
    }),
    handle: (context, { params: args }) => context.read((op) => showNetworkingAction(op, args)),
  }),
];
