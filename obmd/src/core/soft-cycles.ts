import { setTimeout as sleep } from 'node:timers/promises';
import { steadyNow } from '@corral/base/steady-clock';
import type { BootRestorer } from './boot-restorer.ts';
import type { Machine, TokenGrant } from './managed-machine.ts';
import { beginSoftCycle, hardCycle, powerOn } from './power-operations.ts';

/** Where it is kept that a machine is on its way down and has to come up again. */
export interface CycleRecord {
  /** null: it is over. */
  set(machine: Machine, grant: TokenGrant, until: number | null): Promise<void>;
}

interface SoftCycleParts {
  readonly graceMs: number;
  readonly boots: BootRestorer;
  /** For the log. */
  readonly note: (node: string, message: string) => void;
}

const pollMs = 2_000;
/** How often the last step, which must not be lost, is tried. */
const attempts = 10;

/**
 * Machines whose operating system was asked to shut down: each is turned on again when it is off, and cycled the hard
 * way when its time is over. Recorded, so that a machine does not stay off because the daemon was restarted.
 */
export class SoftCycles {
  readonly #record: CycleRecord;
  readonly #graceMs: number;
  readonly #boots: BootRestorer;
  readonly #note: SoftCycleParts['note'];
  readonly #running = new Map<Machine, AbortController>();

  constructor(record: CycleRecord, { graceMs, boots, note }: SoftCycleParts) {
    this.#record = record;
    this.#graceMs = graceMs;
    this.#boots = boots;
    this.#note = note;
  }

  /** Asks the operating system, and does the rest. Recorded first: a machine that goes down must come up again. */
  async begin(machine: Machine, grant: TokenGrant): Promise<void> {
    const until = steadyNow() + this.#graceMs;
    await this.#record.set(machine, grant, until);
    let isWaiting = false;
    try {
      isWaiting = (await beginSoftCycle(machine, grant, this.#boots)) === 'waiting';
    } finally {
      if (!isWaiting) await this.#record.set(machine, grant, null).catch(() => undefined);
    }
    if (isWaiting) this.resume(machine, grant, until);
  }

  /** Goes on with what was begun, perhaps by an earlier process, by a clock that may have been set since. */
  resume(machine: Machine, grant: TokenGrant, stored: number): void {
    const until = Math.min(stored, steadyNow() + this.#graceMs);
    this.#running.get(machine)?.abort();
    const stop = new AbortController();
    this.#running.set(machine, stop);
    grant.ended.addEventListener('abort', () => stop.abort(), { once: true });
    if (grant.ended.aborted) stop.abort();
    void this.#watch(machine, grant, until, stop.signal);
  }

  /** The latest caller wins. */
  async cancel(machine: Machine, grant: TokenGrant): Promise<void> {
    const stop = this.#running.get(machine);
    if (stop === undefined) return;
    stop.abort();
    this.#running.delete(machine);
    await this.#record.set(machine, grant, null);
  }

  async #watch(machine: Machine, grant: TokenGrant, until: number, stop: AbortSignal): Promise<void> {
    const isDown = await this.#isDownBefore(machine, grant, until, stop);
    if (!stop.aborted) {
      const what = isDown ? 'is off; powering it on' : 'did not shut down in time; forcing a power cycle';
      this.#note(machine.id, `soft power cycle: the machine ${what}`);
    }
    for (let attempt = 1; attempt <= attempts && !stop.aborted; attempt += 1) {
      try {
        await (isDown ? powerOn(machine, grant) : hardCycle(machine, grant, this.#boots));
        break;
      } catch {
        // Reported where it happened.
        await sleep(pollMs * attempt, undefined, { signal: stop, ref: false }).catch(() => undefined);
      }
    }
    // A stop was recorded by its caller, or the daemon shuts down and the next one continues.
    if (stop.aborted) return;
    this.#running.delete(machine);
    await this.#record.set(machine, grant, null).catch(() => undefined);
  }

  async #isDownBefore(machine: Machine, grant: TokenGrant, until: number, stop: AbortSignal): Promise<boolean> {
    while (steadyNow() < until && !stop.aborted) {
      const status = await machine.powerStatus(grant).catch(() => null);
      if (status === 'off') return true;
      await sleep(Math.min(pollMs, Math.max(1, until - steadyNow())), undefined, { signal: stop, ref: false }).catch(
        () => undefined,
      );
    }
    return false;
  }
}
