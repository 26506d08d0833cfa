import { allVlans, type Carried, unclear } from '../vlan-lists.ts';

/** The columns of a Port row that decide what passes. An absent value is null, or an empty list. */
export interface VlanColumns {
  readonly vlan_mode: string | null;
  readonly tag: number | null;
  readonly trunks: readonly number[];
  readonly cvlans: readonly number[];
  readonly protected: boolean;
}

/** No network has it: 802.1Q reserves it. */
const deadVlan = 4095;

/**
 * The settings under which a port passes nothing. Every setting of Open vSwitch lets at least one VLAN through,
 * so all that is left is a tunnel that takes frames tagged 4095 alone and wraps them in a second tag 4095.
 * Tried with real frames: a port with `tag=4095` exchanges untagged frames with its like; with `trunks=[4095]`,
 * frames tagged 4095, also with any port that carries all VLANs; `protected` parts it from its like.
 */
const parked: VlanColumns = {
  vlan_mode: 'dot1q-tunnel',
  tag: deadVlan,
  trunks: [],
  cvlans: [deadVlan],
  protected: true,
};

/** The settings under which a port carries this and nothing else. */
export const columnsFor = ({ native, tagged }: Carried): VlanColumns => {
  if (native === null && tagged.length === 0) return parked;
  const open = { tag: native, trunks: tagged, cvlans: [], protected: false };
  if (native === null) return { ...open, vlan_mode: 'trunk' };
  return { ...open, vlan_mode: tagged.length === 0 ? 'access' : 'native-untagged' };
};

/** Why no port can carry this; null if one can. The database itself knows only that 4096 is too much. */
export const reservedIn = ({ native, tagged }: Carried): string | null => {
  const reserved = [native, ...tagged].find((vlan) => vlan === 0 || vlan === deadVlan);
  return reserved === undefined ? null : `VLAN ${reserved} is reserved: a network has one from 1 to 4094`;
};

/**
 * What passes under these settings. Untagged frames on a port without a tag are in VLAN 0,
 * which all such ports share. A list with nothing in it means all VLANs.
 */
export const carriedUnder = (columns: VlanColumns): Carried =>
  isParked(columns) ? { native: null, tagged: [] } : framesUnder(columns);

const isParked = ({ vlan_mode, tag, cvlans, protected: isProtected }: VlanColumns): boolean =>
  isProtected && vlan_mode === parked.vlan_mode && tag === deadVlan && cvlans.length === 1 && cvlans[0] === deadVlan;

const framesUnder = ({ vlan_mode, tag, trunks, cvlans }: VlanColumns): Carried => {
  const own = tag ?? 0;
  switch (vlan_mode ?? (tag === null ? 'trunk' : 'access')) {
    case 'access':
      return { native: own, tagged: [] };
    case 'native-untagged':
      return { native: own, tagged: listed(trunks).filter((vlan) => vlan !== own) };
    case 'native-tagged':
      // Takes untagged frames into its VLAN and gives them back tagged.
      return { native: own, tagged: [...new Set([...listed(trunks), ...(own === 0 ? [] : [own])])].sort(ascending) };
    case 'trunk':
      return { native: trunks.length === 0 || trunks.includes(0) ? 0 : null, tagged: listed(trunks) };
    default:
      // A tunnel, whose frames bring any tags of their own into its VLAN, or a mode of a later Open vSwitch.
      return unclear(`vlan_mode=${vlan_mode ?? ''} tag=${tag ?? ''} cvlans=${cvlans.join(',')}`);
  }
};

const listed = (vlans: readonly number[]): readonly number[] =>
  vlans.length === 0 ? allVlans : vlans.filter((vlan) => vlan !== 0).sort(ascending);

const ascending = (a: number, b: number): number => a - b;

/**
 * Does a port that goes from one state to the other stop passing something, or has it just been configured to?
 * Settings that are there already may be from an attempt that died a moment ago, before what it took away had stopped
 * to pass.
 */
export const takesAway = (before: Carried, after: Carried): boolean => {
  const losesNative = before.native !== null && before.native !== after.native;
  const gainsNative = after.native !== null && before.native !== after.native;
  const loses = losesNative || before.tagged.some((vlan) => !after.tagged.includes(vlan));
  const gains = gainsNative || after.tagged.some((vlan) => !before.tagged.includes(vlan));
  return loses || !gains;
};
