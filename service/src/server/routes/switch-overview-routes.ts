import { Type } from '@sinclair/typebox';
import { switchesOverview } from '../../core/switch-overview.ts';
import { switchOverview } from '../../core/switch-port-list.ts';
import { type Route, route } from '../route.ts';
import { byLabel, exactly, orNull } from '../schemas.ts';
import { Reading } from './drift-routes.ts';
import { Event, Next, page, pageIn, Pending } from './overview-schemas.ts';
import { Registration } from './switch-routes.ts';

const count = (of: string) => Type.Integer({ description: `how many ports ${of}` });
const SwitchOverview = {
  name: Type.String(),
  type: Type.String(),
  policy: Type.String({ description: '`report` or `repair`' }),
  state: Type.String({
    description:
      '`duplicate`: another switch is the same device; `unreachable`: it does not answer now; `unread`: it has not been read yet; `ok`',
  }),
  swept_at: orNull(Type.String({ description: 'when the whole switch was last read' })),
  fault: orNull(Type.String({ description: 'why it cannot be reached now' })),
  unsaved_since: orNull(Type.String({ description: 'since when its running configuration has not been saved' })),
  save_fault: orNull(Type.String({ description: 'why it could not be saved' })),
  duplicate_of: orNull(Type.String({ description: 'the switch that is the same device' })),
  ports: count('are registered'),
  drifting: count('differ from what is recorded'),
  suspect: count('are in an unknown state'),
  unread: count('have not been read since a nic was connected'),
  in_doubt: count('may still be changed by an aborted session'),
};

const OrNull = orNull(Type.String());
const PortOverview = Type.Object({
  port: Type.String(),
  registered: Type.Boolean({
    description: 'false: the last reading of the whole switch has it, and it carries a VLAN',
  }),
  node: OrNull,
  nic: OrNull,
  project: OrNull,
  networks: byLabel(Type.String({ description: 'the recorded network of this channel' })),
  recorded: orNull({ ...Reading, description: 'what it should carry; null: it is not registered' }),
  seen: orNull({ ...Reading, description: 'what it last carried; null: it has not been read, or is `absent`' }),
  absent: Type.Boolean({ description: 'the switch has no such port' }),
  read_at: orNull(Type.String({ description: 'when it was last read' })),
  state: Type.Unsafe<'ok' | 'drift' | 'suspect' | 'unread' | 'in doubt'>({
    type: 'string',
    enum: ['ok', 'drift', 'suspect', 'unread', 'in doubt'],
    description:
      '`suspect`: its state is unknown; `drift`: it differs from what is recorded; `unread`: it has not been read, or not since a nic was connected; `in doubt`: an aborted session may still change it; `ok`, also for ports that are not registered',
  }),
  since: orNull(Type.String({ description: 'since when it differs from what is recorded' })),
  why: orNull(Type.String({ description: 'what is wrong with it, and what to do; null: nothing' })),
  pending: orNull(Type.Object(Pending, { description: 'the change that waits; null: none' })),
});

/** How switches are, for administrators. */
export const switchOverviewRoutes: readonly Route[] = [
  route({
    name: 'switches_overview',
    endpoint: 'GET /overview/switches',
    summary: 'List switches with their state, last reading and drift, as they were last seen, a page at a time',
    access: 'admin',
    query: exactly(page),
    reply: Type.Object({ event: Event, switches: Type.Array(Type.Object(SwitchOverview)), next: Next }),
    handle: (context, { query }) => switchesOverview(context, pageIn(query)),
  }),
  route({
    name: 'switch_overview',
    endpoint: 'GET /overview/switch/:switch',
    summary:
      'Show a switch with its state, its fields without secrets, and every port with what it should and does carry',
    access: 'admin',
    reply: Type.Object({
      event: Event,
      ...SwitchOverview,
      ...Registration,
      fault_since: orNull(Type.String({ description: 'since when it cannot be reached' })),
      probe_at: orNull(
        Type.String({ description: 'when it is tried again, after several failures in a row; null: at any time' }),
      ),
      port_list: Type.Array(PortOverview, { description: 'in the order of the device' }),
    }),
    handle: (context, { params }) => switchOverview(context, params),
  }),
];
