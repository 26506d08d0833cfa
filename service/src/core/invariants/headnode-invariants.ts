import { sql } from 'kysely';
import { always, type Invariant, mayAttach } from './invariant.ts';

const attached = sql.raw(`hnics join headnodes on headnodes.id = hnics.headnode_id
  join networks on networks.id = hnics.network_id`);
const hnicOn = sql.raw(`'hnic ' || hnics.label || ' of headnode ' || headnodes.label || ' is on network ' ||
  networks.label`);

/** Headnodes and their networks. */
export const headnodeInvariants: readonly Invariant[] = [
  always(
    'the project of a headnode on a network has access to it',
    sql`select ${hnicOn} as what from ${attached} where not ${mayAttach('headnodes.project_id')}`,
  ),
  always(
    'a headnode is on no network whose VLAN id an administrator chose',
    sql`select ${hnicOn} as what from ${attached} where networks.vlan_is_assigned = 1`,
  ),
  always(
    'only a headnode that was started can be unfinished',
    sql`select 'headnode ' || label || ' is ' || state as what from headnodes
      where making = 1 and state = 'created'`,
  ),
];
