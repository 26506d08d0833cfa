import type { PortConfig } from '../switch-contract.ts';
import {
  describeElement,
  type DocumentRules,
  harmless,
  type KnownElements,
  leaves,
  unknownElements,
} from '../known-elements.ts';
import { allVlans, ascending, unclear, vlansIn } from '../vlan-lists.ts';
import { oneLine } from '../device-text.ts';
import { childOf, childrenOf, type Element, textAt } from '@corral/base/xml';

/** The VLANs that a trunk lets through beside its native one. */
type Allowed = { readonly kind: 'list'; readonly vlans: readonly number[] } | { readonly kind: 'pattern' };

/** What Network OS has configured for one interface. */
export interface BrocadePort {
  readonly name: string;
  readonly isShut: boolean;
  readonly isSwitchport: boolean;
  readonly mode: 'access' | 'trunk' | 'other';
  /** The mode in the device's words. */
  readonly modeWords: string;
  readonly accessVlan: number | null;
  readonly nativeVlan: number | null;
  /** Frames of the native VLAN are tagged too, and untagged ones dropped. */
  readonly tagsNative: boolean;
  readonly allowed: Allowed;
  readonly allowedVlans: readonly number[];
  /** What makes more of the interface than the fields above, or is missing, in the device's words. */
  readonly unclear: readonly string[];
}

/**
 * What an interface can have without carrying more than its switchport says. Everything else makes the reading unclear:
 * `port-profile-port` and `channel-group`, 802.1X, MAC addresses that are classified into VLANs, `ctag`, RSPAN,
 * addresses of a routed port, and whatever else there may be.
 */
const understood: KnownElements = {
  ...leaves('name', 'description', 'mtu', 'speed', 'shutdown', 'priority-tag'),
  ...harmless('spanning-tree', 'lldp', 'fabric', 'storm-control', 'edge-loop-detection', 'link-error-disable'),
  ...harmless('sflow', 'qos', 'cee'),
  switchport: {
    mode: 'harmless',
    access: { vlan: 'leaf' },
    trunk: {
      allowed: { vlan: leaves('all', 'none', 'add', 'except') },
      tag: { 'native-vlan': 'leaf' },
      'native-vlan': 'leaf',
    },
  },
};

/**
 * Network OS writes `false` for what is not set, and gives every container its address: an empty one with an address
 * has nothing configured in it, whereas an empty leaf is one that is set.
 */
const reading: DocumentRules = {
  lists: ['switchport'],
  isVoid: ({ children, text, attributes }) =>
    children.length === 0 && (text === 'false' || (text === '' && attributes['self'] !== undefined)),
};

/** VLAN 1 stands in wherever none is configured; a trunk cannot be without. */
const implied = 1;

/** Reads one interface element; null if the device told no more of it than its name. */
export const brocadePortFrom = (element: Element): BrocadePort | null => {
  const name = textAt(element, 'name');
  if (name === undefined) throw new Error('an interface of the switch has no name');
  if (element.children.length === 1) return null;
  // Network OS has a leaf and a container of this name, side by side.
  const switchport = childrenOf(element, 'switchport');
  const leaves = switchport.filter(({ children }) => children.length === 0);
  const [container, ...more] = switchport.filter(({ children }) => children.length > 0);
  const vlan = childOf(container, 'trunk', 'allowed', 'vlan');
  const modes = childrenOf(container, 'mode');
  const mode = modeFrom(modes);
  const isSwitchport = leaves.length === 0 ? container !== undefined : leaves.some(({ text }) => isSet(text));
  const shutdown = childrenOf(element, 'shutdown');
  return {
    name,
    isShut: shutdown.length > 0 && shutdown.every(({ children, text }) => children.length === 0 && isSet(text)),
    isSwitchport,
    mode,
    modeWords: modes.length === 0 ? 'mode is not shown' : modes.map(describeElement).join(' '),
    accessVlan: vlanAt(container, 'access', 'vlan'),
    nativeVlan: vlanAt(container, 'trunk', 'native-vlan'),
    tagsNative: isSet(textAt(container, 'trunk', 'tag', 'native-vlan')),
    ...allowedFrom(vlan),
    unclear: [
      ...unknownElements(element, { ...understood, switchport: 'harmless' }, reading),
      ...switchport.flatMap((each) => unknownIn(each)),
      ...more.map(() => 'switchport is shown twice'),
      ...untold(element, isSwitchport, container, mode),
    ],
  };
};

/** The leaf has a text, the container has elements. */
const unknownIn = (switchport: Element): readonly string[] => {
  const table = understood['switchport'];
  if (switchport.children.length === 0 || typeof table !== 'object') return [];
  return unknownElements(switchport, table, reading, ['switchport']);
};

/** What must be there if the device told all of the interface: answers that were cut off are not taken for less. */
const untold = (
  element: Element,
  isSwitchport: boolean,
  container: Element | undefined,
  mode: BrocadePort['mode'],
): readonly string[] => {
  if (!isSwitchport) {
    const isTold = childrenOf(element, 'switchport').length > 0 || childrenOf(element, 'shutdown').length > 0;
    return isTold ? [] : ['neither switchport nor shutdown is shown'];
  }
  if (mode === 'other') return [];
  const settings = childOf(container, mode);
  const isEmptyTrunk = mode === 'trunk' && settings?.children.length === 0;
  return settings === undefined || isEmptyTrunk ? [`switchport ${mode} is not shown`] : [];
};

/** `vlan-mode` has the usual ones in it; whatever stands beside it, like `private-vlan`, is a mode of its own. */
const modeFrom = ([mode, ...more]: readonly Element[]): BrocadePort['mode'] => {
  const told = textAt(mode, 'vlan-mode');
  const rest = mode?.children.filter((child) => child.name !== 'vlan-mode' && !reading.isVoid(child)) ?? [];
  const isPlain = more.length === 0 && rest.length === 0 && childrenOf(mode, 'vlan-mode').length === 1;
  return isPlain && (told === 'access' || told === 'trunk') ? told : 'other';
};

/** Leaves that are there or not come as `true` and `false`, or as an empty element. */
const isSet = (text: string | undefined): boolean => {
  if (text === undefined || text === 'false') return false;
  if (text === '' || text === 'true') return true;
  throw new Error(`a setting of the switch reads "${oneLine(text)}" instead of true or false`);
};

const vlanAt = (element: Element | undefined, ...path: readonly string[]): number | null => {
  const text = textAt(element, ...path);
  if (text === undefined || text === '') return null;
  if (!/^\d{1,4}$/.test(text)) throw new Error(`a VLAN of the switch reads "${oneLine(text)}"`);
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
  if (port.isShut) return nothing;
  const odd = port.isSwitchport && port.mode === 'other' ? [`switchport ${port.modeWords}`] : [];
  if (port.unclear.length + odd.length > 0) return { port: port.name, ...unclear(...port.unclear, ...odd) };
  if (!port.isSwitchport) return nothing;
  if (port.mode === 'access') return { ...nothing, native: port.accessVlan ?? implied };
  const native = port.nativeVlan ?? implied;
  // The native VLAN passes a trunk whether it is among the allowed ones or not.
  if (port.tagsNative) return { ...nothing, tagged: ascending([...port.allowedVlans, native]) };
  return { ...nothing, native, tagged: port.allowedVlans.filter((vlan) => vlan !== native) };
};
