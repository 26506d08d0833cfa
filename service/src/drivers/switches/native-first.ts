import type { Change, PortConfig, Refusal } from './switch-contract.ts';

const native = 'vlan/native';

/** For switches whose trunks always have an untagged VLAN: the native network comes first and goes last. */
export const nativeFirst = (port: Omit<PortConfig, 'port'>, change: Change): Refusal | null => {
  if (change.kind === 'connect' && change.channel !== native && port.native === null)
    return { refused: 'this switch needs a native network first; connect one on vlan/native' };
  if (change.kind === 'detach' && change.channel === native && port.tagged.length > 0)
    return { refused: 'this switch needs the native network as long as there are tagged ones; detach those first' };
  return null;
};
