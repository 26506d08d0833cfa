import { sql } from 'kysely';
import { always, type Invariant, mayAttach, nicOfNode } from './invariant.ts';

const pending = sql.raw(`actions join nics on nics.id = actions.nic_id join nodes on nodes.id = nics.node_id`);
const named = sql.raw(`'the ' || actions.kind || ' ' || actions.status_id || ' on '`);
const isAttached = sql.raw(`exists (select 1 from attachments
  where attachments.nic_id = actions.nic_id and attachments.network_id = actions.network_id)`);

/** What the engine still has to do can be done. */
export const actionInvariants: readonly Invariant[] = [
  always(
    'a nic has one action on record at most',
    sql`select ${nicOfNode} || ' has ' || count(*) as what from ${pending}
      group by nics.id, nics.label, nodes.label having count(*) > 1`,
  ),
  always(
    'a pending action is about a nic on a port',
    sql`select ${named} || ${nicOfNode} as what from ${pending}
      where actions.status = 'PENDING' and nics.port_id is null`,
  ),
  always(
    'a pending connection or detachment is about a node in a project',
    sql`select ${named} || ${nicOfNode} as what from ${pending}
      where actions.status = 'PENDING' and actions.kind <> 'revert' and nodes.project_id is null`,
  ),
  always(
    'the project of a pending connection has access to the network',
    sql`select ${named} || ${nicOfNode} || ' to network ' || networks.label as what
      from ${pending} join networks on networks.id = actions.network_id
      where actions.status = 'PENDING' and actions.kind = 'connect' and not ${mayAttach('nodes.project_id')}`,
  ),
  always(
    'a pending connection is to a network that the nic is not on yet',
    sql`select ${named} || ${nicOfNode} as what from ${pending}
      where actions.status = 'PENDING' and actions.kind = 'connect' and ${isAttached}`,
  ),
  always(
    'a pending detachment is from a network that the nic is on',
    sql`select ${named} || ${nicOfNode} as what from ${pending}
      where actions.status = 'PENDING' and actions.kind = 'detach' and not ${isAttached}`,
  ),
];
