import { member, memberAt } from '@corral/base/json-members';
import { macAddress } from '../../../schema/mac-address.ts';
import { oneLine } from '../device-text.ts';
import { nameOrNull, type Neighbour } from '../switch-contract.ts';
import { aristaPortName } from './arista-ports.ts';

/** The learned addresses in what `show mac address-table` answers as JSON. */
export const aristaNeighbours = (shown: unknown): readonly Neighbour[] => {
  const entries = memberAt(shown, 'unicastTable', 'tableEntries');
  if (!Array.isArray(entries)) throw notATable(shown);
  return entries.flatMap((entry: unknown) => {
    const mac = macAddress(String(member(entry, 'macAddress')));
    const port = member(entry, 'interface');
    const type = member(entry, 'entryType');
    if (mac === null || typeof port !== 'string' || typeof type !== 'string') throw notATable(entry);
    const vlan = member(entry, 'vlanId');
    return type.toLowerCase() === 'dynamic'
      ? [{ port: nameOrNull(aristaPortName(port)) ?? port, mac, vlan: typeof vlan === 'number' ? vlan : null }]
      : [];
  });
};

const notATable = (seen: unknown): Error =>
  new Error(`the switch shows its table of addresses as "${oneLine(JSON.stringify(seen ?? null))}"`);
