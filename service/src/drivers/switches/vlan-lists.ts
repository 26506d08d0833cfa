import type { PortConfig } from './switch-contract.ts';
import { oneLine } from './device-text.ts';

/** What a port carries, whichever it is. */
export type Carried = Omit<PortConfig, 'port'>;

/** VLAN ids go from 1 to 4094. */
export const allVlans: readonly number[] = Array.from({ length: 4094 }, (_, index) => index + 1);

/** What a port may pass of which nobody knows what it passes: taken for the most, so that it is never trusted. */
export const everything: Carried = { native: 1, tagged: allVlans.slice(1) };

/** The same, with the device's own words that the driver does not understand. */
export const unclear = (...words: readonly string[]): Carried => ({
  ...everything,
  unclear: oneLine([...new Set(words)].join('; ')),
});

/** Each once, the least first. */
export const ascending = (vlans: readonly number[]): readonly number[] => [...new Set(vlans)].sort((a, b) => a - b);

/** Every VLAN that a port carries, the untagged one first. */
export const carriedBy = ({ native, tagged }: Carried): readonly number[] =>
  native === null ? tagged : [native, ...tagged];

/** Do two ports carry the same? */
export const isSame = (a: Carried, b: Carried): boolean =>
  a.unclear === b.unclear &&
  a.native === b.native &&
  a.tagged.length === b.tagged.length &&
  a.tagged.every((vlan, i) => vlan === b.tagged[i]);

/** `1-3,7` as numbers, ascending. Anything else that a device may print there is an error, not a guess. */
export const vlansIn = (list: string): readonly number[] => {
  // Where ranges begin and end: as many of them as a device cares to print cost no more than one.
  const changes = new Int32Array(4097);
  for (const item of list.split(',')) {
    const range = /^\s*(\d{1,4})(?:\s*-\s*(\d{1,4}))?\s*$/.exec(item);
    const first = Number(range?.[1]);
    const last = Number(range?.[2] ?? range?.[1]);
    if (!range || first > last || last > 4095) throw new Error(`a list of VLANs reads "${oneLine(list)}"`);
    changes[first] = (changes[first] ?? 0) + 1;
    changes[last + 1] = (changes[last + 1] ?? 0) - 1;
  }
  const vlans: number[] = [];
  let ranges = 0;
  for (let vlan = 0; vlan < 4096; vlan++) {
    ranges += changes[vlan] ?? 0;
    if (ranges > 0) vlans.push(vlan);
  }
  return vlans;
};

/** Numbers as `1-3,7`, in pieces short enough for a device's command line; no numbers make no piece. */
export const vlanLists = (vlans: readonly number[], longest = 160): readonly string[] => {
  const pieces: string[] = [];
  for (const range of rangesOf(vlans)) {
    const piece = pieces.at(-1);
    if (piece !== undefined && piece.length + range.length < longest) pieces[pieces.length - 1] = `${piece},${range}`;
    else pieces.push(range);
  }
  return pieces;
};

const rangesOf = (vlans: readonly number[]): readonly string[] => {
  const ranges: { first: number; last: number }[] = [];
  for (const vlan of [...vlans].sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && vlan <= range.last + 1) range.last = vlan;
    else ranges.push({ first: vlan, last: vlan });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
};
