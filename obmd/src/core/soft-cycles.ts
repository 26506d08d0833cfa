import { steadyNow } from '@corral/base/steady-clock';
import type { BootRestorer } from './boot-restorer.ts';
import type { Machine, TokenGrant } from './managed-machine.ts';
import { beginSoftCycle, hardCycle, powerOn } from './power-operations.ts';
import { pause, RecordedWork, type WorkRecord } from './recorded-work.ts';

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
 * way when its time is over.
 */
export class SoftCycles extends RecordedWork<number> {
  readonly #parts: SoftCycleParts;

  constructor(record: WorkRecord<number>, parts: SoftCycleParts) {
    super(record, (machine, grant, until, stop) => this.#watch(machine, grant, until, stop));
    this.#parts = parts;
  }

  /** Asks the operating system, and does the rest. Recorded first: a machine that goes down must come up again. */
  async begin(machine: Machine, grant: TokenGrant): Promise<void> {
    const until = steadyNow() + this.#parts.graceMs;
    await this.record.set(machine, grant, until);
    let isWaiting = false;
    try {
      isWaiting = (await beginSoftCycle(machine, grant, this.#parts.boots)) === 'waiting';
    } finally {
      if (!isWaiting) await this.record.set(machine, grant, null).catch(() => undefined);
    }
    if (isWaiting) this.resume(machine, grant, until);
  }

  /** The clock may have been set since it was recorded. */
  override resume(machine: Machine, grant: TokenGrant, stored: number): void {
    super.resume(machine, grant, Math.min(stored, steadyNow() + this.#parts.graceMs));
  }

  async #watch(machine: Machine, grant: TokenGrant, until: number, stop: AbortSignal): Promise<void> {
    const isDown = await this.#isDownBefore(machine, grant, until, stop);
    if (!stop.aborted) {
      const what = isDown ? 'is off; powering it on' : 'did not shut down in time; forcing a power cycle';
      this.#parts.note(machine.id, `soft power cycle: the machine ${what}`);
    }
    for (let attempt = 1; attempt <= attempts && !stop.aborted; attempt += 1) {
      try {
        await (isDown ? powerOn(machine, grant) : hardCycle(machine, grant, this.#parts.boots));
        break;
      } catch {
        // Reported where it happened.
        await pause(pollMs * attempt, stop);
      }
    }
  }

  async #isDownBefore(machine: Machine, grant: TokenGrant, until: number, stop: AbortSignal): Promise<boolean> {
    while (steadyNow() < until && !stop.aborted) {
      const status = await machine.powerStatus(grant).catch(() => null);
      if (status === 'off') return true;
      await pause(Math.min(pollMs, Math.max(1, until - steadyNow())), stop);
    }
    return false;
  }
}
