import { macAddress } from '../../../schema/mac-address.ts';
import { oneLine } from '../device-text.ts';
import type { Neighbour } from '../switch-contract.ts';

/**
 * The learned addresses in the answer to `fdb/show`, whose ports are OpenFlow numbers (or `LOCAL`, the bridge itself).
 * A port that was taken away meanwhile has no name any more; a bond is shown by one of its interfaces.
 */
export const learnedAddresses = (table: string, ports: ReadonlyMap<number, string>): readonly Neighbour[] => {
  const [heading = '', ...rows] = table.split('\n').filter((line) => line.trim() !== '');
  if (!/^\s*port\s+VLAN\s+MAC\s+Age\s*$/.test(heading)) throw notATable(heading);
  return rows.flatMap((row) => {
    const [, port, vlan, written = '', age] = /^\s*(\S+)\s+(\d+)\s+(\S+)\s+(\d+|static)\s*$/.exec(row) ?? [];
    const mac = macAddress(written);
    if (port === undefined || mac === null) throw notATable(row);
    if (age === 'static') return [];
    return [{ port: ports.get(Number(port)) ?? port, mac, vlan: Number(vlan) === 0 ? null : Number(vlan) }];
  });
};

const notATable = (seen: string): Error => new Error(`ovs-vswitchd shows its table of addresses as "${oneLine(seen)}"`);
