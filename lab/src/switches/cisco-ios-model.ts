import { ManualConfig } from './manual-config.ts';
import type { LabPort } from './lab-switch.ts';
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

/** The state of the switch, shared by all sessions. */
export class Catalyst {
  readonly byHand = new ManualConfig();
  readonly vlans = new Set([1, 1002, 1003, 1004, 1005]);
  readonly ports = new Map<string, Port>();
  saves = 0;

  constructor() {
    for (let member = 1; member <= 5; member++)
      for (let port = 1; port <= 48; port++) this.ports.set(`GigabitEthernet${member}/0/${port}`, freshPort());
  }

  carried(name: string): LabPort {
    const port = this.ports.get(name);
    if (!port || port.isShut) return { native: null, tagged: [] };
    const isThere = (vlan: number): boolean => this.vlans.has(vlan);
    if (port.mode === 'access') {
      const tagged = port.voice === null ? [] : [port.voice];
      return { native: isThere(port.access) ? port.access : null, tagged: tagged.filter(isThere) };
    }
    const allowed = (port.allowed === 'all' ? everyVlan : [...port.allowed].sort((a, b) => a - b)).filter(isThere);
    return {
      native: allowed.includes(port.native) ? port.native : null,
      tagged: allowed.filter((vlan) => vlan !== port.native),
    };
  }

  tamper(name: string, { native, tagged }: LabPort): void {
    for (const vlan of [native ?? 1, ...tagged]) this.vlans.add(vlan);
    this.ports.set(name, {
      ...freshPort(),
      ...(tagged.length === 0
        ? { mode: 'access', access: native ?? 1 }
        : { mode: 'trunk', native: native ?? 1, allowed: new Set(native === null ? tagged : [native, ...tagged]) }),
    });
  }

  /** As `show running-config interface` prints it: what is default is not there. */
  block(name: string): string {
    const port = this.ports.get(name) ?? freshPort();
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
