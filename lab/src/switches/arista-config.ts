import type { LabPort } from './lab-switch.ts';
import { vlansOf, vlanText } from './vlan-text.ts';

/** One interface of a switch with EOS. */
interface EosInterface {
  readonly shutdown: boolean;
  readonly switchport: boolean;
  readonly mode: 'access' | 'trunk' | 'dot1qTunnel';
  readonly accessVlan: number;
  readonly nativeVlan: number;
  /** null: all. */
  readonly allowed: ReadonlySet<number> | null;
  /** Lines that an operator typed, and the VLANs that they add. */
  readonly lines: readonly string[];
  readonly carries: readonly number[];
}

/** A command that EOS does not take. 1002: it does not know it; 1000: it tried. */
export class EosError extends Error {
  readonly code: 1000 | 1002;

  constructor(code: 1000 | 1002, message: string) {
    super(message);
    this.code = code;
  }
}

const invalid = (token: number, text: string): EosError =>
  new EosError(1002, `Invalid input (at token ${token}: '${text}')`);

/** VLANs that EOS has taken for its routed ports. */
const internal = { first: 1006, last: 1007 };

/** A configuration of EOS, running or in a session: what a command line makes of it. */
export class EosConfig {
  readonly interfaces: Map<string, EosInterface>;
  readonly vlans: Set<number>;
  #entered: { readonly kind: 'top' | 'vlan' } | { readonly kind: 'interface'; readonly name: string } = { kind: 'top' };

  constructor(from: Pick<EosConfig, 'interfaces' | 'vlans'>) {
    this.interfaces = new Map(from.interfaces);
    this.vlans = new Set(from.vlans);
  }

  static fresh(names: readonly string[]): EosConfig {
    const port: EosInterface = {
      shutdown: false,
      switchport: true,
      mode: 'access',
      accessVlan: 1,
      nativeVlan: 1,
      allowed: null,
      lines: [],
      carries: [],
    };
    return new EosConfig({ interfaces: new Map(names.map((name) => [name, port])), vlans: new Set([1]) });
  }

  /** One line in configuration mode. */
  run(command: string): void {
    const [first = '', ...rest] = command.split(' ');
    if (command === 'exit') this.#entered = { kind: 'top' };
    else if (first === 'vlan' && rest.length === 1) this.#makeVlans(rest[0] ?? '');
    else if (first === 'interface' && rest.length === 1) this.#enter(rest[0] ?? '');
    else if (this.#entered.kind === 'interface') this.#onInterface(command, this.#entered.name);
    else throw invalid(0, first);
  }

  set(name: string, change: Partial<EosInterface>): void {
    const port = this.interfaces.get(name);
    if (!port) throw invalid(1, name);
    this.interfaces.set(name, { ...port, ...change });
  }

  carried(name: string): LabPort {
    const port = this.interfaces.get(name);
    if (!port || port.shutdown) return { native: null, tagged: [] };
    const own = port.switchport ? this.#inLayer2(port) : { native: null, tagged: [] };
    return { native: own.native, tagged: [...new Set([...own.tagged, ...port.carries])].sort((a, b) => a - b) };
  }

  #inLayer2(port: EosInterface): LabPort {
    const exists = (vlan: number): boolean => this.vlans.has(vlan);
    if (port.mode !== 'trunk') return { native: exists(port.accessVlan) ? port.accessVlan : null, tagged: [] };
    const allowed = [...this.vlans].filter((vlan) => port.allowed?.has(vlan) ?? true).sort((a, b) => a - b);
    return {
      native: allowed.includes(port.nativeVlan) ? port.nativeVlan : null,
      tagged: allowed.filter((vlan) => vlan !== port.nativeVlan),
    };
  }

  /** `show running-config interfaces`: what differs from the defaults, for every interface. */
  showInterfaces(): string {
    const blocks = [...this.interfaces].map(([name, port]) => {
      const mode = { access: [], trunk: ['switchport mode trunk'], dot1qTunnel: ['switchport mode dot1q-tunnel'] };
      const lines = [
        ...(port.shutdown ? ['shutdown'] : []),
        ...(port.accessVlan === 1 ? [] : [`switchport access vlan ${port.accessVlan}`]),
        ...(port.nativeVlan === 1 ? [] : [`switchport trunk native vlan ${port.nativeVlan}`]),
        ...(port.allowed === null ? [] : [`switchport trunk allowed vlan ${vlanText(port.allowed) || 'none'}`]),
        ...mode[port.mode],
        ...(port.switchport ? [] : ['no switchport']),
        ...port.lines,
      ];
      return [`interface ${name}`, ...lines.map((line) => `   ${line}`)].join('\n');
    });
    return `${[...blocks, 'interface Management1', '   ip address 192.0.2.7/24'].join('\n')}\n`;
  }

  showStatus(): unknown {
    const statuses = [...this.interfaces].map(
      ([name, { shutdown, switchport, mode, accessVlan }]): [string, unknown] => [
        name,
        {
          vlanInformation:
            mode === 'trunk'
              ? { interfaceMode: 'trunk', interfaceForwardingModel: 'bridged', vlanExplanation: 'trunk' }
              : {
                  interfaceMode: 'bridged',
                  interfaceForwardingModel: switchport ? 'bridged' : 'routed',
                  vlanId: accessVlan,
                },
          bandwidth: 10_000_000_000,
          interfaceType: '10GBASE-SR',
          description: '',
          autoNegotiateActive: false,
          duplex: 'duplexFull',
          autoNegotigateActive: false,
          linkStatus: shutdown ? 'disabled' : 'notconnect',
          lineProtocolStatus: 'down',
        },
      ],
    );
    const management = {
      description: '',
      linkStatus: 'connected',
      lineProtocolStatus: 'up',
      interfaceType: '10/100/1000',
    };
    return { interfaceStatuses: { ...Object.fromEntries(statuses), Management1: management } };
  }

  showSwitchport(): unknown {
    const switchports = [...this.interfaces].map(([name, port]): [string, unknown] => [
      name,
      {
        enabled: port.switchport,
        switchportInfo: {
          accessVlanId: port.accessVlan,
          accessVlanName: this.vlans.has(port.accessVlan) ? `VLAN${port.accessVlan}` : 'Inactive',
          dot1qVlanTagRequired: false,
          dot1qVlanTagRequiredStatus: false,
          dynamicAllowedVlans: {},
          dynamicTrunkGroups: [],
          macLearning: true,
          mode: port.mode,
          sourceportFilterMode: 'enabled',
          staticTrunkGroups: [],
          tpid: '0x8100',
          tpidStatus: true,
          trunkAllowedVlans: port.allowed === null ? 'ALL' : vlanText(port.allowed) || 'NONE',
          trunkingNativeVlanId: port.nativeVlan,
          trunkingNativeVlanName: this.vlans.has(port.nativeVlan) ? `VLAN${port.nativeVlan}` : 'Inactive',
        },
      },
    ]);
    return { switchports: Object.fromEntries(switchports) };
  }

  #makeVlans(list: string): void {
    const vlans = vlansOf(list);
    if (!vlans) throw invalid(1, list);
    for (const vlan of vlans) {
      if (vlan >= internal.first && vlan <= internal.last)
        throw new EosError(1000, `VLAN ${vlan} is in use as an internal VLAN`);
      this.vlans.add(vlan);
    }
    this.#entered = { kind: 'vlan' };
  }

  #enter(name: string): void {
    if (!this.interfaces.has(name)) throw invalid(1, name);
    this.#entered = { kind: 'interface', name };
  }

  #onInterface(command: string, name: string): void {
    const [, native] = /^switchport trunk native vlan (\d+)$/.exec(command) ?? [];
    const [, add, list] = /^switchport trunk allowed vlan (add )?(\S+)$/.exec(command) ?? [];
    if (command === 'shutdown' || command === 'no shutdown') this.set(name, { shutdown: command === 'shutdown' });
    else if (command === 'switchport' || command === 'no switchport')
      this.set(name, { switchport: command === 'switchport' });
    else if (command === 'switchport mode trunk') this.set(name, { mode: 'trunk' });
    else if (native !== undefined) {
      if (!vlansOf(native)) throw invalid(4, native);
      this.set(name, { nativeVlan: Number(native) });
    } else if (list !== undefined) this.#allow(name, list, add !== undefined);
    else throw invalid(0, command.split(' ')[0] ?? '');
  }

  #allow(name: string, list: string, isAdded: boolean): void {
    if (list === 'none' || list === 'all') {
      this.set(name, { allowed: list === 'none' ? new Set() : null });
      return;
    }
    const vlans = vlansOf(list);
    if (!vlans) throw invalid(4, list);
    const before = isAdded ? this.interfaces.get(name)?.allowed : [];
    this.set(name, { allowed: before === null ? null : new Set([...(before ?? []), ...vlans]) });
  }
}
