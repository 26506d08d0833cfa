import type { PortConfig } from '../switch-contract.ts';
import type { Line, PortChange } from './dialect.ts';
import { carriedBy, vlanLists } from '../vlan-lists.ts';

/*
 * The words that most vendors took from Cisco, for the dialects that share them.
 */

/** Prompts of the two modes that look the same on all of them. */
export const commonModes = { exec: /^[^(]+#$/, config: /\(config\)#$/ };

/** Makes VLANs. A VLAN is made when its mode is left: that is where a refusal is said. */
export const vlanCommands = (ids: readonly number[]): readonly string[] =>
  vlanLists(ids).flatMap((list) => [`vlan ${list}`, 'exit']);

/** The list of a trunk: its first line replaces what was, the others add. */
export const allowedLines = (wanted: PortConfig): readonly string[] =>
  vlanLists(carriedBy(wanted)).map((list, at) => `switchport trunk allowed vlan ${at === 0 ? '' : 'add '}${list}`);

/** What a trunk carries: its native VLAN, then its list. */
export const trunkLines = (wanted: PortConfig, native: number | string): readonly string[] => [
  `switchport trunk native vlan ${native}`,
  ...allowedLines(wanted),
];

/** The lines of a port: what a trunk needs that stays one, or, while the port is shut, all that it carries. */
export const portLines = (change: PortChange, same: readonly Line[], carry: readonly Line[]): readonly Line[] => [
  `interface ${change.wanted.port}`,
  ...(isSameTrunk(change) ? same : whileShut(change, carry)),
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
