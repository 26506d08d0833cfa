import { childOf, childrenOf, type Element, findAll, textAt } from '@corral/base/xml';
import { macAddress } from '../../../schema/mac-address.ts';
import { oneLine } from '../device-text.ts';
import { nameOrNull, type Neighbour, type Refusal } from '../switch-contract.ts';
import { portName } from './junos-ports.ts';
import type { Netconf } from './netconf-client.ts';
import { RpcRefused, wordsOf } from './rpc-error.ts';

const question = '<get-ethernet-switching-table-information/>';

/** The addresses that a Junos switch has learned; refused if its software has no such table, or the user may not see it. */
export const junosNeighbours = async (
  client: Netconf,
  signal: AbortSignal,
): Promise<readonly Neighbour[] | Refusal> => {
  try {
    return neighboursIn(await client.rpc(question, signal));
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
    return { refused: `the switch does not show its table of addresses: ${error.errors.map(wordsOf).join('; ')}` };
  }
};

/** The enhanced Layer 2 software has one form, the one before it another. */
const neighboursIn = (reply: Element): readonly Neighbour[] => {
  const enhanced = childOf(reply, 'l2ng-l2ald-rtb-macdb');
  if (enhanced) return findAll(enhanced, 'l2ng-l2ald-mac-entry-vlan').flatMap(enhancedEntries);
  const older = childOf(reply, 'ethernet-switching-table-information');
  if (older) return findAll(older, 'mac-table-entry').flatMap(olderEntry);
  throw new Error(`the switch answers with <${reply.children[0]?.name ?? ''}> instead of its table of addresses`);
};

/** Learned here (`D`), not by another switch of the fabric (`DR`). */
const enhancedEntries = (group: Element): readonly Neighbour[] =>
  childrenOf(group, 'l2ng-mac-entry').flatMap((entry) => {
    const flags = textAt(entry, 'l2ng-l2-mac-flags')?.split(',') ?? [];
    const learned = neighbour(entry, 'l2ng-l2-mac-address', textAt(entry, 'l2ng-l2-mac-logical-interface'));
    const vlan = Number(textAt(group, 'l2ng-l2-vlan-id') ?? 'none');
    return flags.some((flag) => /^D[^R]?$/.test(flag.trim()))
      ? [{ ...learned, vlan: Number.isInteger(vlan) ? vlan : null }]
      : [];
  });

const olderEntry = (entry: Element): readonly Neighbour[] => {
  // `*` stands for every address that is not in the table.
  if (textAt(entry, 'mac-address') === '*' || textAt(entry, 'mac-type') !== 'Learn') return [];
  return [neighbour(entry, 'mac-address', textAt(entry, 'mac-interfaces-list', 'mac-interfaces'))];
};

const neighbour = (entry: Element, address: string, logical: string | undefined): Neighbour => {
  const mac = macAddress(textAt(entry, address) ?? '');
  if (mac === null || logical === undefined)
    throw new Error(`the switch shows an address as "${oneLine(entry.children.map(({ text }) => text).join(' '))}"`);
  const physical = logical.replace(/\.\d+$/, '');
  return { port: nameOrNull(portName(physical)) ?? logical, mac, vlan: null };
};
