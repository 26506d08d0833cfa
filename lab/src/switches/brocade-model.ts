import type { LabPort } from './lab-switch.ts';
import { StateHistory } from './state-history.ts';
import { everyVlan } from './vlan-text.ts';

/** One interface of a switch with Network OS. */
export interface BrocadeInterface {
  shutdown: boolean;
  switchport: boolean;
  mode: 'access' | 'trunk' | 'trunk-no-default-native';
  accessVlan: number | null;
  nativeVlan: number | null;
  tagNative: boolean;
  allowed: Set<number>;
  allowsAll: boolean;
  /** What else an operator configured. */
  extras: readonly BrocadeExtra[];
}

/** Something that an interface has beside its switchport, as the REST interface shows it, and the VLANs that it adds. */
export interface BrocadeExtra {
  readonly inside: 'interface' | 'access' | 'trunk';
  readonly xml: string;
  readonly carries: readonly number[];
}

/** Why Network OS would not do something. */
export class NosError extends Error {}

const defaultVlan = 1;

/**
 * The forwarding side of a Brocade VDX, after the Network OS Administrator's Guide: a trunk always has a native
 * VLAN, which passes whether it is allowed or not, tagged as long as `tag native-vlan` is set.
 */
export class BrocadeModel {
  readonly interfaces = new Map<string, BrocadeInterface>();
  readonly vlans = new Set([defaultVlan]);
  readonly moments = new StateHistory();
  /** The XML of the sessions that mirror frames, and where the copies go. */
  readonly mirrors = new Map<string, string>();

  constructor(names: readonly string[]) {
    for (const name of names)
      this.interfaces.set(name, {
        shutdown: true,
        switchport: false,
        mode: 'access',
        accessVlan: null,
        nativeVlan: null,
        tagNative: false,
        allowed: new Set(),
        allowsAll: false,
        extras: [],
      });
  }

  /** Every change of an interface goes through here. */
  change(name: string, make: (port: BrocadeInterface) => void): void {
    const port = this.interfaces.get(name);
    if (!port) throw new NosError(`Interface ${name} not found`);
    make(port);
    this.moments.note(name, this.carried(name));
  }

  createVlan(vlan: number): void {
    if (!Number.isInteger(vlan) || vlan < 1 || vlan > 4095) throw new NosError(`"${vlan}" is not a valid value.`);
    if (vlan >= 4087) throw new NosError(`%Error: VLAN ID ${vlan} is within the reserved VLAN range`);
    this.vlans.add(vlan);
  }

  requireVlan(vlan: number): void {
    if (!this.vlans.has(vlan)) throw new NosError(`%Error: VLAN ${vlan} does not exist`);
  }

  enterMode(name: string, mode: string): void {
    if (mode !== 'access' && mode !== 'trunk') throw new NosError(`"${mode}" is not a valid value.`);
    this.change(name, (port) => {
      if (!port.switchport) throw new NosError('%Error: Interface is not configured as switchport');
      if (port.mode === mode) return;
      Object.assign(port, { mode, accessVlan: null, nativeVlan: null, tagNative: mode === 'trunk', allowsAll: false });
      port.allowed = new Set();
    });
  }

  carried(name: string): LabPort {
    const port = this.interfaces.get(name);
    if (!port || port.shutdown) return { native: null, tagged: [] };
    const own = this.#bySwitchport(port);
    const more = [...port.extras.flatMap(({ carries }) => carries), ...(this.mirrors.has(name) ? everyVlan : [])];
    return { native: own.native, tagged: [...new Set([...own.tagged, ...more])].sort((a, b) => a - b) };
  }

  #bySwitchport(port: BrocadeInterface): LabPort {
    if (!port.switchport) return { native: null, tagged: [] };
    if (port.mode === 'access') return { native: port.accessVlan ?? defaultVlan, tagged: [] };
    const allowed = port.allowsAll ? everyVlan : [...port.allowed].sort((a, b) => a - b);
    if (port.mode === 'trunk-no-default-native') return { native: null, tagged: allowed };
    const native = port.nativeVlan ?? defaultVlan;
    if (port.tagNative) return { native: null, tagged: [...new Set([...allowed, native])].sort((a, b) => a - b) };
    return { native, tagged: allowed.filter((vlan) => vlan !== native) };
  }
}
