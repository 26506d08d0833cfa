import type { PortConfig } from '../contract.ts';
import { allVlans, everything, vlansIn } from '../vlans.ts';
import { shortened } from '../words.ts';
import { childOf, childrenOf, type Element, textAt } from '../xml.ts';

/** The VLANs that a trunk lets through beside its native one. */
type Allowed = { readonly kind: 'list'; readonly vlans: readonly number[] } | { readonly kind: 'pattern' };

/** What Network OS has configured for one interface. */
export interface BrocadePort {
  readonly name: string;
  readonly isShut: boolean;
  readonly isSwitchport: boolean;
  /** `access`, `trunk`, or a mode that we do not set. */
  readonly mode: string;
  readonly accessVlan: number | null;
  readonly nativeVlan: number | null;
  /** Frames of the native VLAN are tagged too, and untagged ones dropped. */
  readonly tagsNative: boolean;
  readonly allowed: Allowed;
  readonly allowedVlans: readonly number[];
}

/** VLAN 1 stands in wherever none is configured; a trunk cannot be without. */
const implied = 1;

/** Reads one interface element; null if the device told no more of it than its name. */
export const brocadePortFrom = (element: Element): BrocadePort | null => {
  const name = textAt(element, 'name');
  if (name === undefined) throw new Error('an interface of the switch has no name');
  if (element.children.length === 1) return null;
  // Network OS has a leaf and a container of this name, side by side.
  const switchport = childrenOf(element, 'switchport');
  const leaf = switchport.find(({ children }) => children.length === 0);
  const container = switchport.find(({ children }) => children.length > 0);
  const vlan = childOf(container, 'trunk', 'allowed', 'vlan');
  return {
    name,
    isShut: isSet(textAt(element, 'shutdown')),
    isSwitchport: leaf === undefined ? container !== undefined : isSet(leaf.text),
    mode: modeFrom(childOf(container, 'mode')),
    accessVlan: vlanAt(container, 'access', 'vlan'),
    nativeVlan: vlanAt(container, 'trunk', 'native-vlan'),
    tagsNative: isSet(textAt(container, 'trunk', 'tag', 'native-vlan')),
    ...allowedFrom(vlan),
  };
};

/** `vlan-mode` has the usual ones in it; what stands beside it, like `private-vlan`, is a mode of its own. */
const modeFrom = (mode: Element | undefined): string =>
  textAt(mode, 'vlan-mode') ??
  mode?.children.find(({ children, text }) => children.length > 0 || text !== '')?.name ??
  'access';

/** Leaves that are there or not come as `true` and `false`, or as an empty element. */
const isSet = (text: string | undefined): boolean => text !== undefined && text !== 'false';

const vlanAt = (element: Element | undefined, ...path: readonly string[]): number | null => {
  const text = textAt(element, ...path);
  if (text === undefined || text === '') return null;
  if (!/^\d{1,4}$/.test(text)) throw new Error(`a VLAN of the switch reads "${shortened(text)}"`);
  return Number(text);
};

const allowedFrom = (vlan: Element | undefined): Pick<BrocadePort, 'allowed' | 'allowedVlans'> => {
  if (isSet(textAt(vlan, 'all'))) return { allowed: { kind: 'pattern' }, allowedVlans: allVlans };
  const except = textAt(vlan, 'except');
  if (except) {
    const left = new Set(vlansIn(except));
    return { allowed: { kind: 'pattern' }, allowedVlans: allVlans.filter((one) => !left.has(one)) };
  }
  const added = textAt(vlan, 'add');
  const vlans = added ? vlansIn(added) : [];
  return { allowed: { kind: 'list', vlans }, allowedVlans: vlans };
};

/** What the interface passes now. */
export const passedBy = (port: BrocadePort): PortConfig => {
  const nothing = { port: port.name, native: null, tagged: [] };
  if (port.isShut || !port.isSwitchport) return nothing;
  if (port.mode === 'access') return { ...nothing, native: port.accessVlan ?? implied };
  // A private VLAN, and whatever else there may be.
  if (port.mode !== 'trunk') return { port: port.name, ...everything };
  const native = port.nativeVlan ?? implied;
  // The native VLAN passes a trunk whether it is among the allowed ones or not.
  if (port.tagsNative) return { ...nothing, tagged: ascending([...port.allowedVlans, native]) };
  return { ...nothing, native, tagged: port.allowedVlans.filter((vlan) => vlan !== native) };
};

const ascending = (vlans: readonly number[]): readonly number[] => [...new Set(vlans)].sort((a, b) => a - b);
