import { macAddress } from '../schema/mac-address.ts';
import { findNode, findSwitch, type Switch } from './find-objects.ts';
import { withFreshRights } from './fresh-rights.ts';
import { type AskedSwitch, askedSwitch, isSamePort, type LearnedAddresses, learnedBy } from './learned-addresses.ts';
import { inNaturalOrder } from './natural-order.ts';
import type { ReadOp, RequestContext } from './request-context.ts';

/** A port behind which an address was seen, and whose port it is recorded to be. */
interface SeenAt {
  readonly switch: string;
  readonly port: string;
  readonly node: string | null;
  readonly nic: string | null;
}

type Verdict = 'right' | 'elsewhere' | 'unseen' | 'unknown';

/** Where a nic is recorded to be, and where its address was seen. */
export interface NicWiring {
  readonly node: string;
  readonly nic: string;
  readonly macaddr: string;
  readonly switch: string | null;
  readonly port: string | null;
  readonly seen: readonly SeenAt[];
  readonly verdict: Verdict;
  /** Why nobody knows; null: somebody does. */
  readonly reason: string | null;
}

/** The wiring as recorded and as seen. */
export interface WiringView {
  readonly nics: readonly NicWiring[];
  /** The switches that were asked, and why one did not tell. */
  readonly switches: readonly { readonly switch: string; readonly fault: string | null }[];
}

/** The wiring of a node, as the switches tell that its nics are recorded on. */
export const showNodeWiring = (context: RequestContext, args: { node: string }): Promise<WiringView> =>
  wiring(context, async (op) => {
    const node = await findNode(op, args.node);
    const nics = await recordedNics(op, { node: node.id });
    const labels = [...new Set(nics.flatMap(({ switch: label }) => (label === null ? [] : [label])))];
    return { nics, switches: await switchesNamed(op, labels) };
  });

/**
 * The wiring of the nics that are recorded on a switch, and of others that it saw at its registered ports: those are
 * recorded elsewhere, or nowhere.
 */
export const showSwitchWiring = (context: RequestContext, args: { switch: string }): Promise<WiringView> =>
  wiring(
    context,
    async (op) => {
      const found = await findSwitch(op, args.switch);
      return { nics: await recordedNics(op, { switch: found.id }), switches: [found] };
    },
    (op, told) => strangersAt(op, told),
  );

/** A nic as it is recorded. */
type RecordedNic = Pick<NicWiring, 'node' | 'nic' | 'macaddr' | 'switch' | 'port'>;

interface Question {
  readonly nics: readonly RecordedNic[];
  readonly switches: readonly Switch[];
}

/** A switch that was asked, what it told, and its registered ports with the nics that are recorded on them. */
interface ToldSwitch extends AskedSwitch {
  readonly told: LearnedAddresses;
  readonly ports: ReadonlyMap<string, Pick<SeenAt, 'node' | 'nic'>>;
}

/**
 * Reads what is recorded, asks all switches at once, and compares. `others`: nics that come into it by the answers.
 */
const wiring = async (
  context: RequestContext,
  question: (op: ReadOp) => Promise<Question>,
  others: (op: ReadOp, told: readonly ToldSwitch[]) => Promise<readonly RecordedNic[]> = () => Promise.resolve([]),
): Promise<WiringView> => {
  const { nics, answers } = await withFreshRights(
    () => context.read(question),
    async (asked, rights) => {
      const switches = asked.switches.map((found) => askedSwitch(context, found));
      const told = await Promise.all(switches.map((one) => learnedBy(context, one, rights)));
      return { nics: asked.nics, answers: switches.map((one, at) => ({ ...one, told: told[at] ?? neverAsked })) };
    },
  );
  const view = await context.read(async (op) => {
    const told: ToldSwitch[] = [];
    for (const one of answers) told.push({ ...one, ports: await portsOf(op, one.id) });
    const known = new Set(nics.map(nameOf));
    const more = (await others(op, told)).filter((nic) => !known.has(nameOf(nic)));
    return {
      nics: inNaturalOrder([...nics, ...more], nameOf).map((nic) => compared(nic, told)),
      switches: told.map(({ label, told: { fault } }) => ({ switch: label, fault })),
    };
  });
  await context.requireRights();
  return view;
};

const neverAsked: LearnedAddresses = { addresses: null, fault: 'it was not asked' };

const nameOf = ({ node, nic }: RecordedNic): string => `${node} ${nic}`;

const compared = (nic: RecordedNic, switches: readonly ToldSwitch[]): NicWiring => {
  const mac = macAddress(nic.macaddr);
  const unknown = (reason: string): NicWiring => ({ ...nic, seen: [], verdict: 'unknown', reason });
  if (mac === null) return unknown(`${JSON.stringify(nic.macaddr.slice(0, 60))} is not a MAC address`);
  const seen = switches.flatMap((one) => placesOn(one, mac));
  const own = switches.find(({ label }) => label === nic.switch);
  const isHome = (at: SeenAt): boolean =>
    own !== undefined && nic.port !== null && at.switch === own.label && isSamePort(own.driver, at.port, nic.port);
  const away = seen.filter((at) => !isHome(at));
  const judged = (verdict: Verdict): NicWiring => ({
    ...nic,
    seen: inNaturalOrder(seen, ({ switch: label, port }) => `${label} ${port}`).slice(0, mostPlaces),
    verdict,
    reason: null,
  });
  // Behind a port without a nic may be another switch, with everybody; a port of another nic has an address to itself.
  if (away.length < seen.length) return judged(away.some(({ nic: other }) => other !== null) ? 'elsewhere' : 'right');
  if (seen.some(({ nic: other }) => other !== null)) return judged('elsewhere');
  if (own === undefined) {
    return seen.length > 0 ? judged('elsewhere') : unknown('it is not connected to a port of a switch that was asked');
  }
  if (own.told.fault !== null) return unknown(`switch ${own.label}: ${own.told.fault}`);
  return judged(seen.length > 0 ? 'elsewhere' : 'unseen');
};

/** An address that was seen at more ports than this is no nic's alone. */
const mostPlaces = 16;

/** Once for each port, however many VLANs it was seen in. */
const placesOn = ({ label, told, ports }: ToldSwitch, mac: string): readonly SeenAt[] => {
  const names = new Set((told.addresses ?? []).filter((one) => one.mac === mac).map(({ port }) => port));
  return [...names].map((port) => {
    const { node, nic } = ports.get(port) ?? { node: null, nic: null };
    return { switch: label, port, node, nic };
  });
};

/** Of one port this many addresses are looked up: a tenant can make up as many as the switch remembers. */
const mostAtPort = 64;
/** Of so many addresses in one statement, each in all spellings. */
const lookedUpAtOnce = 100;

/** The nics whose addresses were seen at registered ports that are not theirs. */
const strangersAt = async (op: ReadOp, told: readonly ToldSwitch[]): Promise<readonly RecordedNic[]> => {
  const strange = new Set<string>();
  for (const { told: answer, ports } of told) {
    const counts = new Map<string, number>();
    for (const { port, mac } of answer.addresses ?? []) {
      const count = counts.get(port) ?? 0;
      if (!ports.has(port) || count === mostAtPort) continue;
      counts.set(port, count + 1);
      strange.add(mac);
    }
  }
  const macs = [...strange];
  const found: RecordedNic[] = [];
  for (let from = 0; from < macs.length; from += lookedUpAtOnce) {
    found.push(...(await recordedNics(op, { macs: macs.slice(from, from + lookedUpAtOnce) })));
  }
  return found;
};

/** As addresses are usually written: they are stored as they were given. */
const spellingsOf = (mac: string): readonly string[] => {
  const digits = mac.replaceAll(':', '');
  const written = [mac, mac.replaceAll(':', '-'), digits.replaceAll(/.{4}(?!$)/g, '$&.'), digits];
  return [...written, ...written.map((one) => one.toUpperCase())];
};

type Which = { readonly node: number } | { readonly switch: number } | { readonly macs: readonly string[] };

const recordedNics = ({ tx }: ReadOp, which: Which): Promise<readonly RecordedNic[]> => {
  const nics = tx
    .selectFrom('nics')
    .innerJoin('nodes', 'nodes.id', 'nics.node_id')
    .leftJoin('ports', 'ports.id', 'nics.port_id')
    .leftJoin('switches', 'switches.id', 'ports.switch_id')
    .select(['nodes.label as node', 'nics.label as nic', 'nics.macaddr'])
    .select(['switches.label as switch', 'ports.label as port']);
  if ('node' in which) return nics.where('nics.node_id', '=', which.node).execute();
  if ('switch' in which) return nics.where('ports.switch_id', '=', which.switch).execute();
  return nics.where('nics.macaddr', 'in', which.macs.flatMap(spellingsOf)).execute();
};

const switchesNamed = async ({ tx }: ReadOp, labels: readonly string[]): Promise<readonly Switch[]> =>
  labels.length === 0
    ? []
    : tx.selectFrom('switches').selectAll().where('label', 'in', labels).orderBy('label').execute();

const portsOf = async ({ tx }: ReadOp, switchId: number): Promise<ToldSwitch['ports']> => {
  const rows = await tx
    .selectFrom('ports')
    .leftJoin('nics', 'nics.port_id', 'ports.id')
    .leftJoin('nodes', 'nodes.id', 'nics.node_id')
    .select(['ports.label as port', 'nodes.label as node', 'nics.label as nic'])
    .where('ports.switch_id', '=', switchId)
    .execute();
  return new Map(rows.map(({ port, ...at }) => [port, at]));
};
