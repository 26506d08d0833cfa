import { Type } from '@sinclair/typebox';
import { showNodeWiring, showSwitchWiring } from '../../core/wiring.ts';
import { type Route, route } from '../route.ts';
import { orNull } from '../schemas.ts';

const OrNull = orNull(Type.String());

const Wiring = Type.Object({
  nics: Type.Array(
    Type.Object({
      node: Type.String(),
      nic: Type.String(),
      macaddr: Type.String(),
      switch: orNull(Type.String({ description: 'the switch that the nic is recorded on' })),
      port: orNull(Type.String({ description: 'the port that the nic is recorded on' })),
      seen: Type.Array(Type.Object({ switch: Type.String(), port: Type.String(), node: OrNull, nic: OrNull }), {
        description: 'the ports behind which its address was seen, and the nics that are recorded there',
      }),
      verdict: Type.String({
        description:
          '`right`: seen at the recorded port; `elsewhere`: at another one; `unseen`: at none; `unknown`: nobody can tell',
      }),
      reason: orNull(Type.String({ description: 'why nobody can tell; `null` for every other verdict' })),
    }),
  ),
  switches: Type.Array(
    Type.Object({
      switch: Type.String(),
      fault: orNull(Type.String({ description: 'why it did not tell the addresses that it has learned' })),
    }),
    { description: 'the switches that were asked' },
  ),
});

export const wiringRoutes: readonly Route[] = [
  route({
    name: 'show_node_wiring',
    endpoint: 'GET /node/:node/wiring',
    summary: 'Ask the switches of a node behind which ports they see its nics, and compare that with what is recorded',
    access: 'admin',
    devices: 'asks',
    reply: Wiring,
    handle: (context, { params: args }) => showNodeWiring(context, args),
  }),
  route({
    name: 'show_switch_wiring',
    endpoint: 'GET /switch/:switch/wiring',
    summary: 'Ask a switch which nics it sees behind its ports, and compare that with what is recorded',
    access: 'admin',
    devices: 'asks',
    reply: Wiring,
    handle: (context, { params: args }) => showSwitchWiring(context, args),
  }),
];
