import type { LabPort } from './lab-switch.ts';
import { ManualConfig } from './manual-config.ts';

/** How the ports of a kind of switch behave. */
interface PortRules<Port> {
  /** A port as it comes out of the box. */
  readonly fresh: () => Port;
  /** What a port that is up passes on a switch with these VLANs. */
  readonly passed: (port: Port, vlans: ReadonlySet<number>) => LabPort;
  /** A port after somebody set it to this by hand. */
  readonly tampered: (state: LabPort) => Port;
}

/** The state of a scripted switch, shared by all sessions. */
export class SwitchState<Port extends { isShut: boolean }> {
  readonly byHand = new ManualConfig();
  readonly vlans: Set<number>;
  readonly ports: Map<string, Port>;
  readonly #rules: PortRules<Port>;

  constructor(names: readonly string[], rules: PortRules<Port>, vlans: readonly number[] = [1]) {
    this.ports = new Map(names.map((name) => [name, rules.fresh()]));
    this.vlans = new Set(vlans);
    this.#rules = rules;
  }

  port(name: string): Port {
    return this.ports.get(name) ?? this.#rules.fresh();
  }

  carried(name: string): LabPort {
    const port = this.ports.get(name);
    if (!port || port.isShut) return { native: null, tagged: [] };
    return this.byHand.carried(name, this.#rules.passed(port, this.vlans));
  }

  tamper(name: string, state: LabPort): void {
    for (const vlan of [state.native ?? 1, ...state.tagged]) this.vlans.add(vlan);
    this.ports.set(name, this.#rules.tampered(state));
  }
}

/** The ports 1 to `count` of every slot: `gi1/0/` has `gi1/0/1` and so on. */
export const portsIn = (slots: readonly string[], count = 48): readonly string[] =>
  slots.flatMap((slot) => Array.from({ length: count }, (_, index) => `${slot}${index + 1}`));

/** 48 ports that are whole, and 40 that are split in four. */
export const splitPorts = (prefix: string, separator: string): readonly string[] => [
  ...portsIn([prefix]),
  ...portsIn(
    Array.from({ length: 40 }, (_, index) => `${prefix}${index + 49}${separator}`),
    4,
  ),
];

/** The name of a port whose kind is shortened to no fewer than `least` letters; '' for anything else. */
export const unabbreviated = (name: string, kind: string, least: number): string => {
  const [, given = '', numbers = ''] = /^([A-Za-z]+) ?(\S+)$/.exec(name) ?? [];
  return given.length >= least && kind.toLowerCase().startsWith(given.toLowerCase()) ? `${kind}${numbers}` : '';
};
