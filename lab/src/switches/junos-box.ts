import { carriedBy, check, copyOf, edit, effective, element, hierarchies, inherited } from './lab-junos-config.ts';
import type { LabAddress } from './lab-switch.ts';
import { junosAddresses } from './learned-addresses.ts';
import { StateHistory } from './state-history.ts';
import { type Complaint, complain, type LabFraming, type NetconfDevice, type NetconfSession } from './lab-netconf.ts';
import { format, parse, type Xml } from './lab-xml.ts';

/** How a scripted Junos switch differs from the usual one. */
export interface LabJunosOptions {
  readonly framing?: LabFraming;
  /** Commits that have this VLAN are refused, without naming the statement at fault. */
  readonly unspeakableVlan?: number;
  /** Every message that it sends, as it is after a bad line. */
  readonly garble?: (message: string) => string;
  /** Knows only the algorithms of long ago. */
  readonly isOld?: boolean;
  /** The user may look at everything and configure nothing. */
  readonly isReadOnly?: boolean;
  /** Capabilities that it offers instead of those of Junos. */
  readonly capabilities?: readonly string[];
}

const junosCapabilities = ['candidate', 'confirmed-commit', 'validate', 'url'].flatMap((name) =>
  ['urn:ietf:params:netconf', 'urn:ietf:params:xml:ns:netconf'].map(
    (prefix) => `${prefix}:capability:${name}:1.0${name === 'url' ? '?scheme=http,ftp,file' : ''}`,
  ),
);
const members = [0, 1, 2, 3, 4];
/** The front ports of a virtual chassis with five members. */
export const junosPorts = members.flatMap((member) =>
  Array.from({ length: 48 }, (_, port) => `ge-${member}/0/${port}`),
);
const physical = [...junosPorts, 'xe-0/2/0', 'xe-0/2/1', 'ae0', 'vme', 'irb', 'lo0'];

/** As it comes out of the box, with some VLANs of the operator and an aggregated link. */
const factory = `<configuration><interfaces>${junosPorts
  .slice(0, 48)
  .map(
    (port) =>
      `<interface><name>${port}</name><unit><name>0</name><family><ethernet-switching><storm-control><profile-name>default</profile-name></storm-control></ethernet-switching></family></unit></interface>`,
  )
  .join('')}
<interface><name>ge-4/0/47</name><ether-options><ieee-802.3ad><bundle>ae0</bundle></ieee-802.3ad></ether-options></interface>
<interface><name>irb</name><unit><name>0</name><family><inet><address><name>192.0.2.1/24</name></address></inet></family></unit></interface>
</interfaces><vlans>
<vlan><name>default</name><vlan-id>1</vlan-id></vlan>
<vlan><name>servers</name><vlan-id>200</vlan-id><l3-interface>irb.0</l3-interface></vlan>
<vlan><name>phones</name><vlan-id-list>3000-3010</vlan-id-list></vlan>
</vlans></configuration>`;

const licence: Complaint = {
  severity: 'warning',
  path: 'edit protocols',
  message: "mgd: requires 'bgp' license",
  badElement: 'bgp',
};

const configurationIn = (text: string): Xml => parse(text)[0] ?? element('configuration');
const find = (item: Xml | undefined, ...path: readonly string[]): Xml | undefined =>
  path.reduce<Xml | undefined>((here, name) => here?.children.find((child) => child.name === name), item);

const systemInformation = (serial: string): string =>
  `<system-information><hardware-model>ex4300-48t</hardware-model><os-name>junos</os-name><os-version>18.4R2.7</os-version><serial-number>${serial}</serial-number><host-name>lab-ex</host-name></system-information>`;

/** The device itself: a candidate, a running configuration, a lock, and a clock for commits to be confirmed. */
export class JunosBox implements NetconfDevice {
  readonly capabilities: readonly string[];
  readonly operations: string[] = [];
  readonly received: string[] = [];
  onOperation: (operation: string) => void = () => undefined;
  serial: string | null = null;
  learned: readonly LabAddress[] = [];
  readonly moments = new StateHistory();
  readonly #options: LabJunosOptions;
  #running = configurationIn(factory);
  #candidate = copyOf(this.#running);
  #lock: NetconfSession | 'terminal' | null = null;
  #unconfirmed: { readonly previous: Xml; readonly timer: NodeJS.Timeout } | null = null;

  constructor(options: LabJunosOptions) {
    this.#options = options;
    this.capabilities = options.capabilities ?? [...junosCapabilities, 'http://xml.juniper.net/netconf/junos/1.0'];
  }

  heard(operation: string): void {
    this.received.push(operation);
  }

  garbled(message: string): string {
    return this.#options.garble?.(message) ?? message;
  }

  get running(): Xml {
    return this.#running;
  }

  stop(): void {
    this.#confirm();
  }

  editCandidate(changes: string): void {
    const wrong = edit(this.#candidate, configurationIn(`<configuration>${changes}</configuration>`));
    if (wrong.length > 0) throw new Error(`the lab's own change is wrong: ${JSON.stringify(wrong)}`);
  }

  commitFor(changes: string): void {
    this.editCandidate(changes);
    const wrong = check(this.#candidate);
    if (wrong.length > 0) throw new Error(`the lab's own change does not commit: ${JSON.stringify(wrong)}`);
    this.#run(this.#candidate);
  }

  setExclusive(isExclusive: boolean): void {
    this.#lock = isExclusive ? 'terminal' : null;
  }

  left(session: NetconfSession): void {
    if (this.#lock !== session) return;
    this.#lock = null;
    this.#candidate = copyOf(this.#running);
  }

  answer(session: NetconfSession, operation: Xml): string {
    const name = operation.name === 'commit' && find(operation, 'confirmed') ? 'commit confirmed' : operation.name;
    this.operations.push(name);
    this.onOperation(name);
    const others = this.#lock !== null && this.#lock !== session;
    switch (name) {
      case 'lock':
        return this.#takeLock(session);
      case 'unlock':
        if (this.#lock !== session) return complain({ message: 'configuration database is not locked' });
        this.left(session);
        return '<ok/>';
      case 'get-configuration':
        return this.#show(operation);
      case 'get-system-information':
        return this.serial === null ? this.#unknown(operation) : systemInformation(this.serial);
      case 'get-ethernet-switching-table-information':
        return junosAddresses(this.learned);
      case 'get-interface-information':
        return showInterfaces();
      case 'discard-changes':
      case 'edit-config':
      case 'validate':
      case 'commit':
      case 'commit confirmed':
        return others ? this.#takeLock(session) : this.#configure(name, operation);
      default:
        return this.#unknown(operation);
    }
  }

  #unknown({ name }: Xml): string {
    return complain({ tag: 'operation-not-supported', message: 'syntax error', badElement: name });
  }

  #configure(name: string, operation: Xml): string {
    if (name === 'discard-changes') {
      this.#candidate = copyOf(this.#running);
      return '<ok/>';
    }
    if (name === 'edit-config') {
      const wrong = edit(this.#candidate, find(operation, 'config', 'configuration') ?? element('configuration'));
      return wrong.length > 0 ? wrong.map(complain).join('\n') : '<ok/>';
    }
    const wrong = [...check(this.#candidate), ...this.#unspeakable()];
    if (wrong.length > 0) return `<commit-results>\n${wrong.map(complain).join('\n')}\n</commit-results>`;
    // A commit, and a commit check too, confirms one that was waiting.
    const previous = this.#unconfirmed?.previous ?? this.#running;
    this.#confirm();
    if (name !== 'validate') this.#run(this.#candidate);
    if (name === 'commit confirmed') {
      const seconds = Number(find(operation, 'confirm-timeout')?.text ?? '600');
      this.#unconfirmed = { previous, timer: setTimeout(() => this.#rollBack(previous), seconds * 1000) };
    }
    const success = name === 'validate' ? 'commit-check-success' : 'commit-success';
    return `<commit-results>\n${complain(licence)}\n<routing-engine junos:style="normal">\n<name>fpc0</name>\n<${success}/>\n</routing-engine>\n</commit-results>\n<ok/>`;
  }

  #unspeakable(): Complaint[] {
    const vlan = this.#options.unspeakableVlan;
    return vlan !== undefined && format(effective(this.#candidate)).includes(`<vlan-id>${vlan}</vlan-id>`)
      ? [{ tag: 'operation-failed', message: 'configuration check-out failed' }]
      : [];
  }

  #run(configuration: Xml): void {
    this.#running = copyOf(configuration);
    this.moments.noteWatched((port) => carriedBy(this.#running, port));
  }

  #confirm(): void {
    clearTimeout(this.#unconfirmed?.timer);
    this.#unconfirmed = null;
  }

  #rollBack(previous: Xml): void {
    this.#unconfirmed = null;
    this.#run(previous);
    if (this.#lock === null) this.#candidate = copyOf(previous);
  }

  #takeLock(session: NetconfSession): string {
    if (this.#options.isReadOnly) return complain({ tag: 'access-denied', message: 'permission denied' });
    if (this.#lock !== null && this.#lock !== session) {
      const who = this.#lock === 'terminal' ? 'alice terminal p0 (pid 4242)' : `corral netconf (pid ${this.#lock.id})`;
      const message = `configuration database locked by:\n  ${who} on since 2026-11-02 09:31:02 UTC\n      exclusive [edit]`;
      return complain({ tag: 'lock-denied', message });
    }
    if (this.#lock === null && format(this.#candidate) !== format(this.#running)) {
      return complain({ message: 'configuration database modified' });
    }
    this.#lock = session;
    return '<ok/>';
  }

  #show(operation: Xml): string {
    const { database = 'candidate', inherit } = operation.attributes;
    const whole = database === 'committed' ? this.#running : this.#candidate;
    const shown = inherit === undefined ? copyOf(whole) : inherited(whole);
    const scope = find(operation, 'configuration')?.children.map(({ name }) => name);
    const unknown = scope?.find((name) => !hierarchies.includes(name));
    if (unknown !== undefined) return complain({ message: 'syntax error', badElement: unknown });
    shown.children = shown.children.filter(({ name }) => scope?.includes(name) ?? true);
    return format(shown);
  }
}

const showInterfaces = (): string =>
  `<interface-information xmlns="http://xml.juniper.net/junos/21.4R3/junos-interface" junos:style="terse">
${physical
  .map(
    (name) =>
      `<physical-interface>\n<name>\n${name}\n</name>\n<admin-status>\nup\n</admin-status>\n<oper-status>\nup\n</oper-status>\n</physical-interface>`,
  )
  .join('\n')}
</interface-information>`;
