import { naturalOrder } from './natural-order.ts';
import { metadataText } from './node-state.ts';

/** Where a node is, as its metadata says: `rack`, the lowest `unit` that it fills, and its `height` in units. */
export interface Place {
  readonly rack: string;
  readonly unit: number;
  readonly height: number;
}

/** A thing in its place. Things that claim the same units stand beside each other, in lanes. */
export interface Mounted<T> extends Place {
  readonly item: T;
  readonly lane: number;
  readonly lanes: number;
}

export interface RackLayout<T> {
  readonly name: string;
  readonly units: number;
  /** From the top. */
  readonly mounted: readonly Mounted<T>[];
}

/** Most racks have this many units; a higher one is drawn as high as what is in it. */
const usualUnits = 42;
const mostUnits = 60;

/** A whole number, also as people write it: `12`, `U12`, `12U`. */
const numberIn = (value: unknown): number | null => {
  if (typeof value === 'number') return Number.isInteger(value) ? value : null;
  const digits = typeof value === 'string' ? /^\s*u?\s*(-?\d{1,6})\s*u?\s*$/i.exec(value)?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
};

const nameIn = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';

/** The place that metadata names, or why it cannot be drawn. */
export const placeOf = (metadata: Readonly<Record<string, unknown>>): Place | { readonly why: string } => {
  const rack = nameIn(metadata['rack']);
  if (rack === '') return { why: 'no rack in its metadata' };
  if (metadata['unit'] === undefined) return { why: `in rack ${rack}, no unit in its metadata` };
  const unit = numberIn(metadata['unit']);
  const height = metadata['height'] === undefined ? 1 : numberIn(metadata['height']);
  if (unit === null) return { why: `in rack ${rack}, its unit ${metadataText(metadata['unit'])} is no number` };
  if (height === null || height < 1)
    return { why: `in rack ${rack}, its height ${metadataText(metadata['height'])} is no number of units` };
  if (unit < 1 || unit + height - 1 > mostUnits)
    return { why: `in rack ${rack}, ${unitsIn({ unit, height })} is outside of units 1 to ${mostUnits}` };
  return { rack, unit, height };
};

/** The units of a place in words. */
export const unitsIn = ({ unit, height }: Pick<Place, 'unit' | 'height'>): string =>
  height === 1 ? `unit ${unit}` : `units ${unit} to ${unit + height - 1}`;

/** All racks by name, with what is in them. */
export const layoutRacks = <T>(items: readonly { readonly item: T; readonly place: Place }[]): RackLayout<T>[] => {
  const racks = new Map<string, { readonly item: T; readonly place: Place }[]>();
  for (const each of items) {
    const known = racks.get(each.place.rack);
    if (known === undefined) racks.set(each.place.rack, [each]);
    else known.push(each);
  }
  return [...racks]
    .sort(([a], [b]) => naturalOrder(a, b))
    .map(([name, members]) => ({
      name,
      units: Math.max(usualUnits, ...members.map(({ place }) => topOf(place))),
      mounted: inLanes(members),
    }));
};

const topOf = ({ unit, height }: Place): number => unit + height - 1;

const inLanes = <T>(members: readonly { readonly item: T; readonly place: Place }[]): readonly Mounted<T>[] => {
  const fromTop = [...members].sort((a, b) => topOf(b.place) - topOf(a.place));
  const mounted: Mounted<T>[] = [];
  // Neighbours that share a unit with one another, directly or through others.
  let cluster: { item: T; place: Place; lane: number }[] = [];
  let lowest = Infinity;
  const close = (): void => {
    const lanes = 1 + Math.max(0, ...cluster.map(({ lane }) => lane));
    mounted.push(...cluster.map(({ item, place, lane }) => ({ ...place, item, lane, lanes })));
    cluster = [];
  };
  for (const { item, place } of fromTop) {
    if (topOf(place) < lowest) close();
    const taken = new Set(cluster.filter((other) => other.place.unit <= topOf(place)).map(({ lane }) => lane));
    let lane = 0;
    while (taken.has(lane)) lane += 1;
    cluster.push({ item, place, lane });
    lowest = Math.min(cluster.length === 1 ? Infinity : lowest, place.unit);
  }
  close();
  return mounted;
};
