import { setTimeout as sleep } from 'node:timers/promises';
import { onAbort } from '@corral/base/abort';
import type { Machine, TokenGrant } from './managed-machine.ts';

/** Where it is kept what has to be done for a machine. */
export interface WorkRecord<Value> {
  /** null: nothing. */
  set(machine: Machine, grant: TokenGrant, value: Value | null): Promise<void>;
}

/** Does it; returns when it is done, or `stop` aborts. */
type Work<Value> = (machine: Machine, grant: TokenGrant, value: Value, stop: AbortSignal) => Promise<void>;

/**
 * Work on machines that goes on after the call that asked for it, once at a time for each machine. Recorded, so that it
 * is not lost when the daemon is restarted.
 */
export class RecordedWork<Value> {
  readonly record: WorkRecord<Value>;
  readonly #work: Work<Value>;
  readonly #running = new Map<Machine, AbortController>();

  constructor(record: WorkRecord<Value>, work: Work<Value>) {
    this.record = record;
    this.#work = work;
  }

  /** Goes on with what was recorded, perhaps by an earlier process; the latest wins. */
  resume(machine: Machine, grant: TokenGrant, value: Value): void {
    this.#running.get(machine)?.abort();
    const stop = new AbortController();
    this.#running.set(machine, stop);
    const release = onAbort(grant.ended, () => stop.abort());
    void this.#finish(machine, grant, value, stop.signal).finally(release);
  }

  /** The latest caller wants something else. */
  async cancel(machine: Machine, grant: TokenGrant): Promise<void> {
    const stop = this.#running.get(machine);
    if (stop === undefined) return;
    stop.abort();
    this.#running.delete(machine);
    await this.record.set(machine, grant, null);
  }

  async #finish(machine: Machine, grant: TokenGrant, value: Value, stop: AbortSignal): Promise<void> {
    await this.#work(machine, grant, value, stop);
    // A stop was recorded by its caller, or the daemon shuts down and the next one continues.
    if (stop.aborted) return;
    this.#running.delete(machine);
    await this.record.set(machine, grant, null).catch(() => undefined);
  }
}

/** Until then, or until the stop. */
export const pause = async (ms: number, stop: AbortSignal): Promise<void> => {
  await sleep(ms, undefined, { signal: stop, ref: false }).catch(() => undefined);
};
