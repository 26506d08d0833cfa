import { type RawBuilder, sql } from 'kysely';

/** Something that always holds, and how to find where it does not. */
export interface Invariant {
  /** A sentence that is true of a sound database. */
  readonly rule: string;
  /** Names the things that it is not true of, by their labels. Never a secret. */
  readonly broken: RawBuilder<{ readonly what: string }>;
}

export const always = (rule: string, broken: RawBuilder<{ readonly what: string }>): Invariant => ({ rule, broken });

/** `nic eth0 of node n1`, where `nics` and `nodes` are joined. */
export const nicOfNode = sql.raw("'nic ' || nics.label || ' of node ' || nodes.label");

/** `port gi1/0/1 of switch sw0`, where `ports` and `switches` are joined. */
export const portOfSwitch = sql.raw("'port ' || ports.label || ' of switch ' || switches.label");

/** May a project attach to the network? `networks` is joined. */
export const mayAttach = (project: string): RawBuilder<unknown> => sql`(networks.is_public = 1 or exists (
  select 1 from network_access where network_access.network_id = networks.id
    and network_access.project_id = ${sql.ref(project)}))`;
