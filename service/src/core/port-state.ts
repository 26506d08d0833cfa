import type { PortConfig } from '../drivers/switches/contract.ts';
import type { Tx } from '../db/db.ts';
import { statement } from '../db/statement.ts';

/** A port's state without its name: what the recorded attachments of a nic amount to. */
export type PortState = Omit<PortConfig, 'port'>;

export const emptyPort: PortState = { native: null, tagged: [] };

/** The state that a set of attachments asks of a port. */
export const stateOf = (attachments: readonly { readonly channel: string; readonly vlan: number }[]): PortState => ({
  native: attachments.find(({ channel }) => channel === 'vlan/native')?.vlan ?? null,
  tagged: attachments
    .filter(({ channel }) => channel !== 'vlan/native')
    .map(({ vlan }) => vlan)
    .sort((a, b) => a - b),
});

/** The recorded state of the port that a nic is on. */
export const portStateOf = async (tx: Tx, nicId: number): Promise<PortState> =>
  stateOf(await vlansOfNic.all(tx, { nicId }));

const vlansOfNic = statement((tx, { nicId }: { nicId: number }) =>
  tx
    .selectFrom('attachments')
    .innerJoin('networks', 'networks.id', 'attachments.network_id')
    .select(['attachments.channel', 'networks.vlan'])
    .where('attachments.nic_id', '=', nicId),
);

export const samePortState = (a: PortState, b: PortState): boolean =>
  a.native === b.native && a.tagged.length === b.tagged.length && a.tagged.every((vlan) => b.tagged.includes(vlan));
