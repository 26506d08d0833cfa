import type { Refusal } from '../switch-contract.ts';

/** Kinds of ports by the shortest name they go by: `{ gi: 'GigabitEthernet' }`. */
export type PortKinds = Readonly<Record<string, string>>;

const grammar = /^([A-Za-z]+) ?((?:0|[1-9]\d{0,3})(?:\/(?:0|[1-9]\d{0,3})){0,3})$/;

/** How many numbers the names of ports have, at least and at most: a device may take fewer for the same port. */
export type NumberCount = readonly [least: number, most: number];

/** Reads `gi1/0/1`, `Gig 1/0/1` and `GigabitEthernet1/0/1` alike, as the full name of a port of these kinds. */
export const portNamer =
  (kinds: PortKinds, example: string, [least, most]: NumberCount = [1, 4]) =>
  (name: string): string | Refusal => {
    const [, kind = '', numbers = ''] = grammar.exec(name) ?? [];
    const full = fullName(kinds, kind.toLowerCase());
    const count = numbers.split('/').length;
    return full === undefined || numbers === '' || count < least || count > most
      ? { refused: `${JSON.stringify(name.slice(0, 60))} is not a port of this switch; ports look like "${example}"` }
      : `${full}${numbers}`;
  };

/** The longest abbreviation wins: `twe` is no short form of `TwoGigabitEthernet`. */
const fullName = (kinds: PortKinds, kind: string): string | undefined =>
  Object.entries(kinds)
    .filter(([short, full]) => kind.startsWith(short) && full.toLowerCase().startsWith(kind))
    .sort(([a], [b]) => b.length - a.length)[0]?.[1];
