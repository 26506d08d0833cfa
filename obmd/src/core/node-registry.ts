import { Mutex } from '@corral/base/db/mutex';
import type { Outbound } from '@corral/base/http/outbound';
import { checkOf, inBody, joinMistakes } from '@corral/base/schema/schema-check';
import type { BmcDriver, BmcPermit } from '../drivers/bmc-contract.ts';
import { BootRestorer } from './boot-restorer.ts';
import { BmcAddresses } from './bmc-addresses.ts';
import type { CallLimits } from './call-queue.ts';
import { badArgument, invalid, notFound, unauthorized } from './obmd-error.ts';
import { type BmcTest, type CallReport, Machine, newTokenGrant, type TokenGrant } from './managed-machine.ts';
import type { NodeStore } from './node-store.ts';
import { SoftCycles } from './soft-cycles.ts';
import { hashOf, matches, newToken } from './node-token.ts';

type Info = Readonly<Record<string, unknown>>;

export interface NodeRegistryOptions {
  readonly nodeStore: NodeStore;
  readonly drivers: Readonly<Record<string, BmcDriver>>;
  readonly outbound: Outbound;
  readonly limits: CallLimits & { readonly lingerMs: number; readonly graceMs: number };
  readonly report: (call: CallReport) => void;
  /** Throws where another process may have the nodes by now. */
  readonly permit: BmcPermit;
  /** For the log: what was done without being asked just then. */
  readonly note: (node: string, message: string) => void;
}

/** What a caller with the admin token is shown of a node. */
export interface NodeView {
  readonly id: string;
  readonly type: string;
  readonly info: Info;
  readonly has_token: boolean;
  readonly console: 'idle' | 'open' | 'watched';
  readonly fault: string | null;
}

/** Every node the daemon manages. Exactly one process has them at a time, so what it holds in memory is true. */
export class NodeRegistry {
  readonly #nodeStore: NodeStore;
  readonly #parts: NodeRegistryOptions;
  readonly #machines = new Map<string, Machine>();
  readonly #turns = new Map<string, Mutex>();
  readonly #bmcAddresses = new BmcAddresses();
  readonly boots: BootRestorer;
  readonly cycles: SoftCycles;

  private constructor(parts: NodeRegistryOptions) {
    this.#parts = parts;
    this.#nodeStore = parts.nodeStore;
    this.boots = new BootRestorer({
      set: (machine, grant, device) => parts.nodeStore.setBootAfter(machine.id, grant.hash, device),
    });
    this.cycles = new SoftCycles(
      { set: (machine, grant, until) => parts.nodeStore.setCycle(machine.id, grant.hash, until) },
      { graceMs: parts.limits.graceMs, boots: this.boots, note: parts.note },
    );
  }

  /** Takes up the nodes as they were left. */
  static async load(parts: NodeRegistryOptions): Promise<NodeRegistry> {
    const nodeRegistry = new NodeRegistry(parts);
    for (const { label, type, info, tokenHash, cycleUntil, bootAfter } of await parts.nodeStore.all()) {
      const machine = nodeRegistry.#machineOf(label, type, info);
      nodeRegistry.#machines.set(label, machine);
      nodeRegistry.#bmcAddresses.addUnresolved(label, () => nodeRegistry.#placesOf(type, info));
      if (tokenHash === null) continue;
      machine.grant = newTokenGrant(tokenHash);
      if (bootAfter !== null) nodeRegistry.boots.resume(machine, machine.grant, bootAfter);
      if (cycleUntil !== null) nodeRegistry.cycles.resume(machine, machine.grant, cycleUntil);
    }
    return nodeRegistry;
  }

  get machines(): Iterable<Machine> {
    return this.#machines.values();
  }

  list(): Pick<NodeView, 'id' | 'type' | 'info'>[] {
    return [...this.#machines.values()]
      .map(({ id, type, shown }) => ({ id, type, info: shown }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  show(id: string): NodeView {
    const { type, shown, grant, console, fault } = this.#find(id);
    return { id, type, info: shown, has_token: grant !== null, console: console.state, fault };
  }

  /** Asks the node's BMC what it is, with the registered credentials. */
  test(id: string): Promise<BmcTest> {
    return this.#find(id).test();
  }

  /** Registers a node, or registers it again: then its old token is invalid. */
  async put(id: string, type: string, info: Info): Promise<void> {
    this.#check(type, info);
    await this.#turn(id, async () => {
      await this.#bmcAddresses.take(id, await this.#placesOf(type, info));
      await this.#nodeStore.put(id, type, info);
      const before = this.#machines.get(id);
      this.#machines.set(id, this.#machineOf(id, type, info));
      await before?.close('the node was registered again');
    });
  }

  async remove(id: string): Promise<void> {
    await this.#turn(id, async () => {
      const machine = this.#find(id);
      await this.#nodeStore.remove(id);
      this.#machines.delete(id);
      this.#bmcAddresses.release(id);
      await machine.close('the node was deleted');
    });
  }

  /** A new token; the one before it is void, and nothing asked with it is done any more. */
  async createToken(id: string): Promise<string> {
    const token = newToken();
    const hash = hashOf(token);
    await this.#turn(id, async () => {
      const machine = this.#find(id);
      await this.#nodeStore.setToken(id, hash);
      await machine.endGrant(newTokenGrant(hash), 'a new token was issued for this node');
    });
    return token;
  }

  async destroyToken(id: string): Promise<void> {
    await this.#turn(id, async () => {
      const machine = this.#find(id);
      await this.#nodeStore.setToken(id, null);
      await machine.endGrant(null, 'access to this node was disabled');
    });
  }

  /** The machine that a token is good for. */
  admit(id: string, token: string | null): { machine: Machine; grant: TokenGrant } {
    const machine = this.#find(id);
    const { grant } = machine;
    if (token === null || grant === null || !matches(token, grant.hash)) {
      throw unauthorized(`the token is not valid for node ${id}; request one with POST /node/${id}/token`);
    }
    return { machine, grant };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#machines.values()].map((machine) => machine.close('the daemon is stopping')));
  }

  #find(id: string): Machine {
    const machine = this.#machines.get(id);
    if (machine === undefined) throw notFound(`node ${id} does not exist; register it with PUT /node/${id}`);
    return machine;
  }

  #driver(type: string): BmcDriver {
    const driver = Object.hasOwn(this.#parts.drivers, type) ? this.#parts.drivers[type] : undefined;
    if (driver !== undefined) return driver;
    const known = Object.keys(this.#parts.drivers).sort().join(', ');
    throw badArgument(`field "type": unknown type ${JSON.stringify(type)}; expected one of ${known}`);
  }

  #placesOf(type: string, info: Info): Promise<readonly string[]> {
    return this.#driver(type).placesOf?.(info) ?? Promise.resolve([]);
  }

  #check(type: string, info: Info): void {
    const driver = this.#driver(type);
    const mistakes = checkOf(driver.info, (path) => inBody(['info', ...path]))(info);
    if (mistakes.length > 0) throw invalid(joinMistakes(mistakes));
    // Of a name it is seen at every connection where it is then.
    const refusal = this.#parts.outbound.refusalOf(driver.hostOf?.(info) ?? '');
    if (refusal !== null) throw badArgument(`field "info": ${refusal.message}`);
  }

  #machineOf(id: string, type: string, info: Info): Machine {
    const { secrets, bmcOf } = this.#driver(type);
    const shown = Object.fromEntries(Object.entries(info).filter(([field]) => !secrets.includes(field)));
    const { limits, report, outbound, permit } = this.#parts;
    const kept = secrets.flatMap((field) => info[field] ?? []).filter((value) => typeof value === 'string');
    return new Machine({ id, type, shown, bmc: bmcOf(info, outbound, permit), secrets: kept, limits, report, permit });
  }

  /** Changes to one node come one after the other, and wait for no other node's. */
  #turn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(id) ?? new Mutex();
    this.#turns.set(id, turns);
    return turns.run(work);
  }
}
