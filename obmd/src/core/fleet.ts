import { Mutex } from '@corral/base/db/mutex';
import type { Outbound } from '@corral/base/http/outbound';
import { checkOf, inBody, joinMistakes } from '@corral/base/schema/check';
import type { BmcDriver, BmcPermit } from '../drivers/contract.ts';
import { BootRestorer } from './boot-restorer.ts';
import { BmcPlaces } from './bmc-places.ts';
import { hushedBmc } from './hushed-bmc.ts';
import type { CallLimits } from './call-queue.ts';
import { badArgument, invalid, notFound, unauthorized } from './errors.ts';
import { type CallReport, Machine, newTenure, type Tenure } from './machine.ts';
import type { Register } from './register.ts';
import { SoftCycles } from './soft-cycles.ts';
import { hashOf, matches, newToken } from './token.ts';

type Info = Readonly<Record<string, unknown>>;

export interface FleetParts {
  readonly register: Register;
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
export class Fleet {
  readonly #register: Register;
  readonly #parts: FleetParts;
  readonly #machines = new Map<string, Machine>();
  readonly #turns = new Map<string, Mutex>();
  readonly #places = new BmcPlaces();
  readonly boots: BootRestorer;
  readonly cycles: SoftCycles;

  private constructor(parts: FleetParts) {
    this.#parts = parts;
    this.#register = parts.register;
    this.boots = new BootRestorer({
      set: (machine, tenure, device) => parts.register.setBootAfter(machine.id, tenure.hash, device),
    });
    this.cycles = new SoftCycles(
      { set: (machine, tenure, until) => parts.register.setCycle(machine.id, tenure.hash, until) },
      { graceMs: parts.limits.graceMs, boots: this.boots, note: parts.note },
    );
  }

  /** Takes up the nodes as they were left. */
  static async load(parts: FleetParts): Promise<Fleet> {
    const fleet = new Fleet(parts);
    for (const { label, type, info, tokenHash, cycleUntil, bootAfter } of await parts.register.all()) {
      const machine = fleet.#machineOf(label, type, info);
      fleet.#machines.set(label, machine);
      fleet.#places.expect(label, () => fleet.#placesOf(type, info));
      if (tokenHash === null) continue;
      machine.tenure = newTenure(tokenHash);
      if (bootAfter !== null) fleet.boots.resume(machine, machine.tenure, bootAfter);
      if (cycleUntil !== null) fleet.cycles.resume(machine, machine.tenure, cycleUntil);
    }
    return fleet;
  }

  get machines(): Iterable<Machine> {
    return this.#machines.values();
  }

  list(): { id: string; type: string }[] {
    return [...this.#machines.values()].map(({ id, type }) => ({ id, type })).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  show(id: string): NodeView {
    const { type, shown, tenure, console, fault } = this.#find(id);
    return { id, type, info: shown, has_token: tenure !== null, console: console.state, fault };
  }

  /** Registers a node, or registers it again: then its old token is invalid. */
  async put(id: string, type: string, info: Info): Promise<void> {
    this.#check(type, info);
    await this.#turn(id, async () => {
      await this.#places.take(id, await this.#placesOf(type, info));
      await this.#register.put(id, type, info);
      const before = this.#machines.get(id);
      this.#machines.set(id, this.#machineOf(id, type, info));
      await before?.close('the node was registered again');
    });
  }

  async remove(id: string): Promise<void> {
    await this.#turn(id, async () => {
      const machine = this.#find(id);
      await this.#register.remove(id);
      this.#machines.delete(id);
      this.#places.release(id);
      await machine.close('the node was deleted');
    });
  }

  /** A new token; the one before it is void, and nothing asked with it is done any more. */
  async createToken(id: string): Promise<string> {
    const token = newToken();
    const hash = hashOf(token);
    await this.#turn(id, async () => {
      const machine = this.#find(id);
      await this.#register.setToken(id, hash);
      await machine.endTenure(newTenure(hash), 'a new token was issued for this node');
    });
    return token;
  }

  async destroyToken(id: string): Promise<void> {
    await this.#turn(id, async () => {
      const machine = this.#find(id);
      await this.#register.setToken(id, null);
      await machine.endTenure(null, 'access to this node was disabled');
    });
  }

  /** The machine that a token is good for. */
  admit(id: string, token: string | null): { machine: Machine; tenure: Tenure } {
    const machine = this.#find(id);
    const { tenure } = machine;
    if (token === null || tenure === null || !matches(token, tenure.hash)) {
      throw unauthorized(`the token is not valid for node ${id}; request one with POST /node/${id}/token`);
    }
    return { machine, tenure };
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
    const bmc = hushedBmc(bmcOf(info, outbound, permit), kept);
    return new Machine({ id, type, shown, bmc, limits, report, permit });
  }

  /** Changes to one node come one after the other, and wait for no other node's. */
  #turn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(id) ?? new Mutex();
    this.#turns.set(id, turns);
    return turns.run(work);
  }
}
