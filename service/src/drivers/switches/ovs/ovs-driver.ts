import { setTimeout as sleep } from 'node:timers/promises';
import {
  isRefusal,
  type Neighbour,
  outcomeOf,
  type Permit,
  type PortConfig,
  type PortOutcome,
  type Refusal,
  type SwitchDriver,
  type SwitchSession,
  type SwitchTarget,
} from '../switch-contract.ts';
import { placeInFiles, placesAt } from '../switch-addresses.ts';
import { type Carried, carriedBy, unclear } from '../vlan-lists.ts';
import { type Bridge, type BridgePort, ovsVersion, portNumbers, readBridge } from './ovs-bridge.ts';
import { becomeNewest, ifNewest } from './session-fence.ts';
import { namePattern, nameRule, ovsFields, type OvsTarget, targetFrom } from './ovs-fields.ts';
import { askControl, controlSocketOf } from './ovs-control.ts';
import { learnedAddresses } from './ovs-neighbours.ts';
import { DryOvsdb } from './dry-ovsdb.ts';
import { Ovsdb, type OvsdbTransactions } from './ovsdb.ts';
import { carriedUnder, reservedIn, takesAway } from './ovs-vlans.ts';
import { untilAllApplied, untilApplied, type Write, writePorts } from './ovs-write.ts';

/** A port that changes between the read and the write is read again, at most this many times. */
const tries = 5;

/** An Open vSwitch bridge, through its database. Its ports are made by others. */
export const ovsSwitch: SwitchDriver = {
  config: ovsFields,
  capabilities: ['nativeless-trunk-mode'],
  hasLegacyType: true,
  portName: (name) =>
    new RegExp(namePattern).test(name)
      ? name
      : { refused: `${JSON.stringify(name)} cannot be a port of an Open vSwitch: its name is ${nameRule}` },
  refusesLateWrites: true,
  places: (config) => {
    const { address, bridge } = targetFrom(config);
    return address.kind === 'unix'
      ? placeInFiles(address.path, `bridge ${bridge}`)
      : placesAt(address.host, address.port, `bridge ${bridge}`);
  },
  hosts: (config) => {
    const { address } = targetFrom(config);
    return address.kind === 'unix' ? [] : [address.host];
  },
  open: (target, signal) => openOn(target, signal, (ovsdb) => ovsdb),
  openDry: (target, held, signal) => openOn(target, signal, (ovsdb) => new DryOvsdb(ovsdb, held)),
};

const openOn = async (
  { config, permit, outbound }: SwitchTarget,
  signal: AbortSignal,
  line: (ovsdb: Ovsdb) => OvsdbTransactions,
): Promise<SwitchSession> => {
  const target = targetFrom(config);
  const ovsdb = line(await Ovsdb.connect(target.address, target.tls, signal, { permit, outbound }));
  try {
    // The line may be up and nobody behind it.
    await readBridge(ovsdb, target.bridge, [], signal);
    if (permit) await becomeNewest(ovsdb, target.bridge, permit, signal);
  } catch (error) {
    await ovsdb.close();
    throw error;
  }
  return new OvsSession(ovsdb, target, permit);
};

class OvsSession implements SwitchSession {
  readonly #ovsdb: OvsdbTransactions;
  readonly #target: OvsTarget;
  readonly #bridge: string;
  readonly #settleMs: number;
  readonly #permit: Permit | undefined;
  /** What the switch said it is, once it was asked. */
  #identity: string | null | undefined;

  constructor(ovsdb: OvsdbTransactions, target: OvsTarget, permit: Permit | undefined) {
    this.#permit = permit;
    this.#ovsdb = ovsdb;
    this.#target = target;
    this.#bridge = target.bridge;
    this.#settleMs = target.settleMs;
  }

  async apply(wanted: readonly PortConfig[], signal: AbortSignal): Promise<readonly PortOutcome[]> {
    for (let left = tries; left > 0; left -= 1) {
      const outcomes = await this.#attempt(wanted, signal);
      if (outcomes !== 'changed meanwhile') return outcomes;
    }
    throw new Error(`ports of bridge ${this.#bridge} keep being changed by other clients`);
  }

  async #attempt(
    wanted: readonly PortConfig[],
    signal: AbortSignal,
  ): Promise<readonly PortOutcome[] | 'changed meanwhile'> {
    const names = wanted.map(({ port }) => port);
    const { ports, numbers } = await this.#readSame(names, signal);
    const writes: Write[] = [];
    const refused = new Map<string, string>();
    for (const state of wanted) {
      const port = ports.get(state.port);
      const reason = port
        ? refusalOf(port, state)
        : `bridge ${this.#bridge} has no port ${state.port}; add it there first`;
      if (reason !== null) refused.set(state.port, reason);
      else if (port) writes.push({ port, state });
    }
    const conditions = this.#permit ? [ifNewest(this.#bridge, this.#permit)] : [];
    const written = await writePorts(this.#ovsdb, conditions, writes, numbers, signal);
    if (written === 'changed meanwhile') return written;
    if (written.configuration !== null) {
      await untilApplied(this.#ovsdb, written.configuration, signal);
      const isLoss = writes.some(({ port, state }) => takesAway(carriedUnder(port.columns), state));
      if (isLoss) await this.#settled(signal);
    }
    return names.map((port) => outcomeOf(port, refused.get(port) ?? written.refused.get(port) ?? null));
  }

  read(ports: readonly string[], signal: AbortSignal): Promise<readonly PortConfig[]> {
    return this.#read(ports, signal);
  }

  readAll(signal: AbortSignal): Promise<readonly PortConfig[]> {
    return this.#read('all', signal);
  }

  async drained(signal: AbortSignal): Promise<void> {
    await untilAllApplied(this.#ovsdb, signal);
    await this.#settled(signal);
  }

  async identity(signal: AbortSignal): Promise<string | null> {
    this.#identity = (await readBridge(this.#ovsdb, this.#bridge, [], signal)).identity;
    return this.#identity;
  }

  async neighbours(signal: AbortSignal): Promise<readonly Neighbour[] | Refusal> {
    const control = await controlSocketOf(this.#target);
    if (isRefusal(control)) return control;
    const names = await portNumbers(this.#ovsdb, this.#bridge, signal);
    return learnedAddresses(await askControl(control, 'fdb/show', [this.#bridge], signal), names);
  }

  about(signal: AbortSignal): Promise<string | null> {
    return ovsVersion(this.#ovsdb, signal);
  }

  close(): Promise<void> {
    return this.#ovsdb.close();
  }

  /** A switch that turns out to be another one is identified again, by the next session. */
  async #readSame(names: readonly string[] | 'all', signal: AbortSignal): Promise<Bridge> {
    const bridge = await readBridge(this.#ovsdb, this.#bridge, names, signal);
    if (this.#identity === undefined || bridge.identity === this.#identity) return bridge;
    throw new Error(`the switch was ${this.#identity ?? 'unnamed'} and is now ${bridge.identity ?? 'unnamed'}`);
  }

  async #settled(signal: AbortSignal): Promise<void> {
    await sleep(this.#settleMs, undefined, { signal });
  }

  async #read(names: readonly string[] | 'all', signal: AbortSignal): Promise<readonly PortConfig[]> {
    const { ports, wanted, applied } = await this.#readSame(names, signal);
    // What is stored but not applied does not pass yet.
    if (applied < wanted) await untilApplied(this.#ovsdb, wanted, signal);
    return [...ports.values()].map((port) => ({ port: port.name, ...passedBy(port) }));
  }
}

/** Who gets the copies of a mirror gets other ports' frames, whatever its own VLANs are. */
const passedBy = (port: BridgePort): Carried => {
  const carried = carriedUnder(port.columns);
  const copies = port.mirror === null ? copiesIn(port, carried) : `output_port of mirror ${port.mirror}`;
  return copies === null ? carried : unclear(copies);
};

const refusalOf = (port: BridgePort, state: PortConfig): string | null => {
  const { name, mirror } = port;
  if (mirror !== null) return `port ${name} is the output of mirror ${mirror}: remove the mirror first`;
  const copies = copiesIn(port, state);
  return copies === null
    ? reservedIn(state)
    : `port ${name} would get the copies of another: ${copies}; remove it first`;
};

/** The mirror whose copies come in one of these VLANs. */
const copiesIn = ({ mirroredVlans }: BridgePort, state: Carried): string | null => {
  if (mirroredVlans.size === 0) return null;
  const vlan = carriedBy(state).find((each) => mirroredVlans.has(each));
  return vlan === undefined ? null : `output_vlan=${vlan} of mirror ${mirroredVlans.get(vlan) ?? ''}`;
};
