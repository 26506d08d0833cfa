import { Type } from '@sinclair/typebox';
import { bmcDelete, bmcRegister, bmcTest, listBmcTypes, showBmc } from '../../core/bmcs.ts';
import { listBmcs } from '../../core/bmc-list.ts';
import { type Route, route } from '../route.ts';
import { exactly, orNull } from '../schemas.ts';

const type = Type.String({ minLength: 1, maxLength: 64, description: 'a kind of BMC, such as "ipmi"' });
const info = Type.Record(Type.String(), Type.Unknown(), { description: 'a JSON object with the fields of that kind' });

const Bmc = Type.Object({ type: Type.String(), info: Type.Record(Type.String(), Type.Unknown()) });

/** Registering BMCs with the OBM daemons of nodes, by way of the service. */
export const bmcRoutes: readonly Route[] = [
  route({
    name: 'list_bmc_types',
    endpoint: 'GET /bmc_types',
    summary:
      'List the kinds of BMC and the fields of each as JSON Schema; `inside` tells whether an OBM daemon runs inside the service',
    access: 'admin',
    reply: Type.Object({
      inside: Type.Boolean(),
      types: Type.Record(Type.String(), Type.Object({ fields: Type.Unknown() })),
    }),
    handle: (context) => listBmcTypes(context),
  }),
  route({
    name: 'list_bmcs',
    endpoint: 'GET /bmcs',
    summary:
      'List all nodes with their OBM daemons and the BMCs that are registered there, without secrets; `unread` has the daemons that do not answer, with the reason',
    access: 'admin',
    devices: 'asks',
    reply: Type.Object({
      bmcs: Type.Array(
        Type.Object({ node: Type.String(), uri: Type.String(), inside: Type.Boolean(), bmc: orNull(Bmc) }),
      ),
      unread: Type.Record(Type.String(), Type.String()),
    }),
    handle: (context) => listBmcs(context),
  }),
  route({
    name: 'show_bmc',
    endpoint: 'GET /node/:node/bmc',
    summary: 'Show the BMC that is registered for a node with its OBM daemon, without secrets',
    access: 'admin',
    devices: 'asks',
    reply: Bmc,
    handle: (context, { params: args }) => showBmc(context, args),
  }),
  route({
    name: 'bmc_register',
    endpoint: 'PUT /node/:node/bmc',
    summary: 'Register the BMC of a node with its OBM daemon, also again; OBM of the node must be disabled',
    access: 'admin',
    devices: 'changes',
    body: exactly({ type, info }),
    handle: (context, { params: args, body }) => bmcRegister(context, { ...args, ...body }),
  }),
  route({
    name: 'bmc_delete',
    endpoint: 'DELETE /node/:node/bmc',
    summary: 'Delete the BMC of a node from its OBM daemon; OBM of the node must be disabled',
    access: 'admin',
    devices: 'changes',
    handle: (context, { params: args }) => bmcDelete(context, args),
  }),
  route({
    name: 'bmc_test',
    endpoint: 'POST /node/:node/bmc/test',
    summary: 'Log in to the BMC of a node: what answers, with which privileges, and how long it took',
    access: 'admin',
    devices: 'changes',
    reply: Type.Object({ answered: Type.String(), privileges: Type.String(), seconds: Type.Number() }),
    handle: (context, { params: args }) => bmcTest(context, args),
  }),
];
