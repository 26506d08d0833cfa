import type { PortConfig } from '../switch-contract.ts';
import type { PortChange } from './dialect.ts';
import { carriedBy, vlanLists } from '../vlan-lists.ts';

/*
 * The words that most vendors took from Cisco, for the dialects that share them.
 */

/** What a trunk carries: its native VLAN, then its list, whose first line replaces what was and the others add. */
export const trunkLines = (wanted: PortConfig, native: number | string): readonly string[] => [
  `switchport trunk native vlan ${native}`,
  ...vlanLists(carriedBy(wanted)).map(
    (list, index) => `switchport trunk allowed vlan ${index === 0 ? '' : 'add '}${list}`,
  ),
];

/** A trunk that stays a trunk with the same native VLAN: `trunkLines` will do, and the link stays up. */
export const isSameTrunk = ({ wanted, was }: PortChange): boolean =>
  wanted.native === was.native && wanted.tagged.length > 0 && was.tagged.length > 0 && was.tagged.length < 4000;

/** The lines of a port, shut before the first and, if it shall carry anything, opened after the last. */
export const whileShut = <L>({ wanted }: PortChange, lines: readonly L[]): readonly (L | string)[] => [
  'shutdown',
  ...lines,
  ...(carriedBy(wanted).length === 0 ? [] : ['no shutdown']),
];
