import { setTimeout as sleep } from 'node:timers/promises';
import type { Machine, TokenGrant } from './managed-machine.ts';

/** Where it is kept what a machine has to boot from again. */
export interface BootRecord {
  /** null: nothing. */
  set(machine: Machine, grant: TokenGrant, device: string | null): Promise<void>;
}

const firstPauseMs = 1_000;
const longestPauseMs = 300_000;

/**
 * Machines whose BMC has forgotten a lasting boot device over one for the next boot: when that boot has been, the
 * lasting one is set again. Recorded, so that it is not lost when the daemon is restarted.
 */
export class BootRestorer {
  readonly #record: BootRecord;
  readonly #running = new Map<Machine, AbortController>();

  constructor(record: BootRecord) {
    this.#record = record;
  }

  async begin(machine: Machine, grant: TokenGrant, device: string): Promise<void> {
    await this.#record.set(machine, grant, device);
    this.resume(machine, grant, device);
  }

  /** Goes on with what was begun, perhaps by an earlier process. */
  resume(machine: Machine, grant: TokenGrant, device: string): void {
    this.#running.get(machine)?.abort();
    const stop = new AbortController();
    this.#running.set(machine, stop);
    grant.ended.addEventListener('abort', () => stop.abort(), { once: true });
    if (grant.ended.aborted) stop.abort();
    void this.#watch(machine, grant, device, stop.signal);
  }

  /** Another one was set to last. */
  async cancel(machine: Machine, grant: TokenGrant): Promise<void> {
    const stop = this.#running.get(machine);
    if (stop === undefined) return;
    stop.abort();
    this.#running.delete(machine);
    await this.#record.set(machine, grant, null);
  }

  async #watch(machine: Machine, grant: TokenGrant, device: string, stop: AbortSignal): Promise<void> {
    for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 1.5)) {
      await sleep(pause, undefined, { signal: stop, ref: false }).catch(() => undefined);
      if (stop.aborted) return;
      // What goes wrong is reported where it happens, and tried again.
      if (await this.#isRestored(machine, grant, device, stop).catch(() => false)) break;
    }
    if (this.#running.get(machine)?.signal !== stop) return;
    this.#running.delete(machine);
    await this.#record.set(machine, grant, null).catch(() => undefined);
  }

  /** In one call, so that nobody's wish for the next boot comes between the look and the change. */
  #isRestored(machine: Machine, grant: TokenGrant, device: string, stop: AbortSignal): Promise<boolean> {
    const { bmc } = machine;
    return machine.call('boot_device', grant, async (signal) => {
      if (stop.aborted) return true;
      if ((await bmc.isNextBootSet?.(signal)) === true) return false;
      await bmc.setBootDevice(device, signal);
      return true;
    });
  }
}
