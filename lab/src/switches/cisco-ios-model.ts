import type { LabPort } from './lab-switch.ts';
import { portsIn, SwitchState } from './switch-state.ts';
import { everyVlan, vlanText, wrapped } from './vlan-text.ts';

/** One port, with everything that its commands set. */
export interface Port {
  isShut: boolean;
  mode: 'dynamic auto' | 'access' | 'trunk';
  access: number;
  native: number;
  allowed: Set<number> | 'all';
  voice: number | null;
  encapsulation: 'negotiate' | 'dot1q';
  isNegotiating: boolean;
}

/** A port as it comes out of the box. */
export const freshPort = (): Port => ({
  isShut: false,
  mode: 'dynamic auto',
  access: 1,
  native: 1,
  allowed: 'all',
  voice: null,
  encapsulation: 'negotiate',
  isNegotiating: true,
});

/** VLANs that routed ports of this switch use inside. */
export const internalVlans = new Set([1006, 1007]);

const passedBy = (port: Port, vlans: ReadonlySet<number>): LabPort => {
  const isThere = (vlan: number): boolean => vlans.has(vlan);
  if (port.mode === 'access') {
    const tagged = port.voice === null ? [] : [port.voice];
    return { native: isThere(port.access) ? port.access : null, tagged: tagged.filter(isThere) };
  }
  const allowed = (port.allowed === 'all' ? everyVlan : [...port.allowed].sort((a, b) => a - b)).filter(isThere);
  return {
    native: allowed.includes(port.native) ? port.native : null,
    tagged: allowed.filter((vlan) => vlan !== port.native),
  };
};

const tampered = ({ native, tagged }: LabPort): Port => ({
  ...freshPort(),
  ...(tagged.length === 0
    ? { mode: 'access', access: native ?? 1 }
    : { mode: 'trunk', native: native ?? 1, allowed: new Set(native === null ? tagged : [native, ...tagged]) }),
});

/** A stack of five. */
export class Catalyst extends SwitchState<Port> {
  constructor() {
    const slots = ['1', '2', '3', '4', '5'].map((member) => `GigabitEthernet${member}/0/`);
    super(portsIn(slots), { fresh: freshPort, passed: passedBy, tampered }, [1, 1002, 1003, 1004, 1005]);
  }

  /** As `show running-config interface` prints it: what is default is not there. */
  block(name: string): string {
    const port = this.port(name);
    const lines = [
      port.access !== 1 && `switchport access vlan ${port.access}`,
      port.encapsulation === 'dot1q' && 'switchport trunk encapsulation dot1q',
      port.native !== 1 && `switchport trunk native vlan ${port.native}`,
      ...allowedLines(port.allowed),
      port.mode !== 'dynamic auto' && `switchport mode ${port.mode}`,
      !port.isNegotiating && 'switchport nonegotiate',
      port.voice !== null && `switchport voice vlan ${port.voice}`,
      port.isShut && 'shutdown',
    ].filter((line) => line !== false);
    return [`interface ${name}`, ...[...lines, ...this.byHand.on(name)].map((line) => ` ${line}`)].join('\n');
  }
}

const allowedLines = (allowed: Port['allowed']): readonly string[] => {
  if (allowed === 'all') return [];
  if (allowed.size === 0) return ['switchport trunk allowed vlan none'];
  return wrapped(vlanText(allowed, 3), 48).map(
    (list, index) => `switchport trunk allowed vlan ${index === 0 ? '' : 'add '}${list}`,
  );
};
