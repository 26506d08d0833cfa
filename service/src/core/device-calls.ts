import { RateLimit } from '@corral/base/http/rate-limit';
import { SingleFlight } from '@corral/base/single-flight';
import { SemaphoreTimeout, KeyedSemaphore } from '@corral/base/keyed-semaphore';
import type { Hypervisor } from '../drivers/hypervisors/hypervisor-contract.ts';
import type { ObmClient } from '../drivers/obm/obm-contract.ts';
import { type Caller, isAdmin } from './caller.ts';
import { tooMany } from './corral-error.ts';

/** What answers calls while somebody waits for them. Switches are left to the engine. */
export interface Devices {
  readonly obm: ObmClient;
  readonly hypervisor: Hypervisor;
}

/** How much one project may have devices do. */
export interface DeviceLimits {
  /** Changes a minute, of devices of any kind; 0: no limit. */
  readonly changes: number;
  /** Calls to one daemon, or to the hypervisor, at once; 0: no limit. */
  readonly calls: number;
}

/** What a call is about. */
export interface DeviceCall {
  /** Whose node or headnode it is; null: nobody's, and an operator calls. */
  readonly project: string | null;
  /** Which daemon answers it. */
  readonly at: string;
}

/** How a route reaches devices: it asks them something, or it changes them, or has a line to them opened. */
export type DeviceUse = 'asks' | 'changes';

/** A reading that reaches a device counts like a tenth of a change. */
const readCost = 0.1;
const burstMs = 60_000;
/** A caller that has waited this long is refused: a change is not made long after it was requested. */
const longestWaitMs = 20_000;
/** After which a project that has too many calls under way may try again. */
const retryAfterS = 2;

/**
 * The way to devices. What projects have them do is counted and limited per project, so that no project keeps a
 * daemon, a switch or the hypervisor from others; operators are not limited. Several who ask the same share the answer.
 */
export class DeviceCalls {
  readonly #devices: Devices;
  readonly #limits: DeviceLimits;
  readonly #rate: RateLimit | null;
  readonly #turns: KeyedSemaphore | null;
  readonly #answers = new SingleFlight();

  constructor(devices: Devices, limits: DeviceLimits) {
    this.#devices = devices;
    this.#limits = limits;
    this.#rate = limits.changes === 0 ? null : new RateLimit(limits.changes / 60, undefined, burstMs);
    this.#turns = limits.calls === 0 ? null : new KeyedSemaphore(limits.calls, longestWaitMs);
  }

  /** Counts a change that will be sent to a switch. */
  count(caller: Caller, project: string | null): void {
    this.#count(caller, project, 1);
  }

  /** Changes something, or opens a line. */
  async change<T>(caller: Caller, call: DeviceCall, work: (devices: Devices) => Promise<T>): Promise<T> {
    this.#count(caller, call.project, 1);
    return this.#inTurn(caller, call, () => work(this.#devices));
  }

  /** Asks for something that is the same for all who ask this question at the same time. */
  query<T>(caller: Caller, question: string, call: DeviceCall, ask: (devices: Devices) => Promise<T>): Promise<T> {
    // Operators do not wait for the turn of a project.
    const whose = isAdmin(caller) ? 'operator' : 'project';
    return this.#answers.run(`${whose} ${question}`, async () => {
      this.#count(caller, call.project, readCost);
      return this.#inTurn(caller, call, () => ask(this.#devices));
    });
  }

  #count(caller: Caller, project: string | null, calls: number): void {
    if (this.#rate === null || project === null || isAdmin(caller)) return;
    const seconds = this.#rate.wait(project, calls);
    if (seconds === 0) return;
    throw tooMany(
      `project ${project} has requested more than ${this.#limits.changes} changes of switches, nodes and headnodes within a minute; wait before the next one`,
      seconds,
    );
  }

  async #inTurn<T>(caller: Caller, { project, at }: DeviceCall, work: () => Promise<T>): Promise<T> {
    if (this.#turns === null || project === null || isAdmin(caller)) return work();
    try {
      return await this.#turns.run(JSON.stringify([project, at]), work);
    } catch (error) {
      if (!(error instanceof SemaphoreTimeout)) throw error;
      throw tooMany(
        `project ${project} has too many calls to nodes or headnodes in progress (${this.#limits.calls} at once); wait until some have finished`,
        retryAfterS,
      );
    }
  }
}
