import type { LabPort } from './lab-switch.ts';
import { StateHistory } from './state-history.ts';

/** One port of a switch with OS9. */
export interface Os9Port {
  shutdown: boolean;
  switchport: boolean;
  hybrid: boolean;
  /** `vlan-stack trunk`: it takes frames with a stack of tags. */
  isStacked: boolean;
  /** Lines that an operator typed, with their indent. */
  lines: readonly string[];
}

/** Something that an operator configured: whole sections of the configuration, and the VLANs that it gives to a port. */
export interface Os9Extra {
  readonly port: string;
  readonly sections: readonly string[];
  readonly carries: readonly number[];
}

/** The members of a VLAN; the VLAN is where OS9 keeps them. */
export interface Os9Vlan {
  readonly tagged: Set<string>;
  readonly untagged: Set<string>;
}

/** What the command line prints after a percent sign. */
export class Os9Error extends Error {}

/** This one is kept for the VLT interconnect. */
const reservedVlan = 4094;

/**
 * The forwarding side of a Dell switch, after the OS9 Configuration Guide: a port in layer 2 mode is untagged in
 * the default VLAN unless it is so elsewhere, hybrid mode is entered only from outside layer 2 mode, and layer 2
 * mode is left only without memberships.
 */
export class Os9Model {
  readonly defaultVlan = 1;
  readonly ports = new Map<string, Os9Port>();
  readonly vlans = new Map<number, Os9Vlan>();
  readonly moments = new StateHistory();
  extras: readonly Os9Extra[] = [];

  constructor(names: readonly string[]) {
    for (const name of names)
      this.ports.set(name, { shutdown: true, switchport: false, hybrid: false, isStacked: false, lines: [] });
  }

  /** Every change of a port goes through here. */
  change(name: string, make: (port: Os9Port) => void): void {
    const port = this.ports.get(name);
    if (!port) throw new Os9Error('No such interface.');
    make(port);
    this.moments.note(name, this.carried(name));
  }

  vlan(id: number): Os9Vlan {
    if (id < 1 || id > 4094) throw new Os9Error('Value out of range at "^" marker.');
    if (id === reservedVlan) throw new Os9Error(`Vlan ${id} is reserved for internal use.`);
    const known = this.vlans.get(id) ?? { tagged: new Set(), untagged: new Set() };
    this.vlans.set(id, known);
    return known;
  }

  join(id: number, how: keyof Os9Vlan, name: string): void {
    if (id === this.defaultVlan) throw new Os9Error('Members of the default Vlan cannot be configured.');
    this.change(name, (port) => {
      if (!port.switchport) throw new Os9Error(`Port is not in Layer-2 mode ${name}.`);
      if (how === 'untagged') {
        if (this.#untaggedIn(name) !== null) throw new Os9Error(`Port is untagged in another Vlan ${name}.`);
        if (!port.hybrid && this.#taggedIn(name).length > 0) throw new Os9Error(`Port is tagged ${name}.`);
      } else if (!port.hybrid && this.#untaggedIn(name) !== null) throw new Os9Error(`Port is untagged ${name}.`);
      if (this.vlan(id)[how === 'tagged' ? 'untagged' : 'tagged'].has(name))
        throw new Os9Error(`Port is a member of the Vlan already ${name}.`);
      this.vlan(id)[how].add(name);
    });
  }

  leave(id: number, how: keyof Os9Vlan, name: string): void {
    this.change(name, () => {
      if (!this.vlan(id)[how].delete(name)) throw new Os9Error(`Port is not ${how} in Vlan ${id} ${name}.`);
    });
  }

  becomeHybrid(name: string): void {
    this.change(name, (port) => {
      if (port.switchport) throw new Os9Error(`Port is in Layer-2 mode ${name}.`);
      port.hybrid = true;
    });
  }

  leaveLayer2(name: string): void {
    this.change(name, (port) => {
      if (this.#untaggedIn(name) !== null || this.#taggedIn(name).length > 0)
        throw new Os9Error(`Port is part of a non-default VLAN ${name}.`);
      if (port.isStacked) throw new Os9Error(`Port is a stackable trunk port ${name}.`);
      port.switchport = false;
    });
  }

  carried(name: string): LabPort {
    const port = this.ports.get(name);
    if (!port || port.shutdown) return { native: null, tagged: [] };
    const own = port.switchport ? this.#inLayer2(port, name) : { native: null, tagged: [] };
    const more = this.extras.flatMap((extra) => (extra.port === name ? extra.carries : []));
    return { native: own.native, tagged: [...new Set([...own.tagged, ...more])].sort((a, b) => a - b) };
  }

  #inLayer2(port: Os9Port, name: string): LabPort {
    const tagged = this.#taggedIn(name);
    const isInDefault = port.hybrid || tagged.length === 0;
    return { native: this.#untaggedIn(name) ?? (isInDefault ? this.defaultVlan : null), tagged };
  }

  #untaggedIn(name: string): number | null {
    return [...this.vlans].find(([, vlan]) => vlan.untagged.has(name))?.[0] ?? null;
  }

  #taggedIn(name: string): readonly number[] {
    return [...this.vlans].flatMap(([id, vlan]) => (vlan.tagged.has(name) ? [id] : [])).sort((a, b) => a - b);
  }
}
