import { sql } from 'kysely';
import { always, type Invariant, portOfSwitch } from './invariant.ts';

/** Ports, what is plugged into them, and what nobody knows about them. */
export const portInvariants: readonly Invariant[] = [
  always(
    'a port has one nic at most',
    sql`select ${portOfSwitch} || ' has nics of ' || count(*) || ' nodes' as what
      from nics join ports on ports.id = nics.port_id join switches on switches.id = ports.switch_id
      group by ports.id, ports.label, switches.label having count(*) > 1`,
  ),
  always(
    'only a suspect port may carry unrecorded networks',
    sql`select ${portOfSwitch} || ' may carry network ' || networks.label as what
      from suspect_networks join ports on ports.id = suspect_networks.port_id
        join switches on switches.id = ports.switch_id join networks on networks.id = suspect_networks.network_id
      where ports.suspect is null`,
  ),
];
