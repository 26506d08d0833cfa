import type { PortConfig } from '../drivers/switches/switch-contract.ts';
import type { Tx } from '../db/service-database.ts';
import { statement } from '../db/service-statement.ts';

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

/** VLAN ids as people write them: `100-103, 200`. */
const vlansText = (vlans: readonly number[]): string => {
  const ranges: [number, number][] = [];
  for (const vlan of vlans) {
    const last = ranges.at(-1);
    if (last?.[1] === vlan - 1) last[1] = vlan;
    else ranges.push([vlan, vlan]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ');
};

/** The same text as the first and last id of each range. */
export const rangesIn = (text: string): readonly (readonly [first: number, last: number])[] =>
  text.split(', ').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return range === '' ? [] : [[first, last] as const];
  });

const vlansIn = (text: string): number[] =>
  rangesIn(text).flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));

/** A port's state as it is stored and shown: a port that carries everything would be a list of 4094 otherwise. */
export interface PortReading {
  readonly native: number | null;
  readonly tagged: string;
  /** What on the port the driver does not understand; the port then counts as one that carries everything. */
  readonly unclear?: string;
}

export const readingOf = ({ native, tagged, unclear }: PortState): PortReading => ({
  native,
  tagged: vlansText(tagged),
  ...(unclear === undefined ? {} : { unclear }),
});

export const stateIn = ({ native, tagged, unclear }: PortReading): PortState => ({
  native,
  tagged: vlansIn(tagged),
  ...(unclear === undefined ? {} : { unclear }),
});

/** Does a port with this reading carry the VLAN, tagged or not? */
export const carriesVlan = ({ native, tagged }: PortReading, vlan: number): boolean =>
  native === vlan || rangesIn(tagged).some(([first, last]) => first <= vlan && vlan <= last);

/** What a port carries, in words. */
export const describePort = ({ native, tagged, unclear }: PortState): string => {
  if (unclear !== undefined) return `what may be any VLAN ("${unclear}" on the port is not understood)`;
  if (native === null && tagged.length === 0) return 'no VLAN';
  const parts = [
    native === null ? null : `VLAN ${native} untagged`,
    tagged.length > 0 ? `${vlansText(tagged)} tagged` : null,
  ];
  return parts.filter((part) => part !== null).join(' and ');
};

export const samePortState = (a: PortState, b: PortState): boolean =>
  a.unclear === b.unclear &&
  a.native === b.native &&
  a.tagged.length === b.tagged.length &&
  a.tagged.every((vlan) => b.tagged.includes(vlan));
