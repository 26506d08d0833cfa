import type { PortConfig } from '../switch-contract.ts';
import { carriedBy } from '../vlan-lists.ts';
import { newName } from './junos-edit.ts';
import type { VlanTable } from './junos-vlans.ts';
import { type RpcError, wordsOf } from './rpc-error.ts';

/** What speaks against a batch of ports: something about one port, or something that names nobody. */
export interface Complaint {
  readonly port: string | null;
  readonly reason: string;
}

/** Which of the ports the device complains about. It names the interface, the VLAN, or nothing at all. */
export const complaintsFrom = (
  errors: readonly RpcError[],
  states: readonly PortConfig[],
  vlans: VlanTable,
): readonly Complaint[] =>
  errors.flatMap((error): readonly Complaint[] => {
    const reason = `the switch refuses it: ${wordsOf(error)}`;
    const text = `${error.path} ${error.badElement} ${error.message}`;
    const named = states.filter(({ port }) => mentions(text, port));
    const blamed =
      named.length > 0 ? named : states.filter((state) => carriedBy(state).some((id) => isAbout(error, id, vlans)));
    return blamed.length > 0 ? blamed.map(({ port }) => ({ port, reason })) : [{ port: null, reason }];
  });

/** A bare number or word in a message may be anything, so a VLAN is looked for only where nothing else stands. */
const isAbout = (error: RpcError, id: number, vlans: VlanTable): boolean => {
  const place = `${error.path} ${error.badElement}`;
  const name = vlans.names.get(id);
  return (
    error.badElement === String(id) ||
    (name !== undefined && mentions(place, name)) ||
    mentions(`${place} ${error.message}`, newName(id))
  );
};

/** Is this name there, and not only as a part of a longer one? The unit may follow it (`ge-0/0/1.0`). */
const mentions = (text: string, name: string): boolean => {
  const pattern = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w/:-])${pattern}(?![\\w/:-])`).test(text);
};
