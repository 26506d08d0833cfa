import { firstOf } from '@corral/base/abort';
import { type ClockReading, readClocks, elapsedSince } from '@corral/base/clock-reading';
import type { CallPermit } from '../drivers/obm/obm-contract.ts';
import { CorralError } from './corral-error.ts';

/** A call to a device is sent within this time after the caller's rights were read, or the rights are read again. */
const freshForMs = 2_000;

/** Too much time has passed since the caller's rights were read. Nothing was sent. */
class StaleRights extends CorralError {
  constructor() {
    super('BlockedError', 'it took too long until the device could be called; try again');
  }
}

/**
 * The caller's rights, read a moment ago. The process may sleep between that and the call to a device, and the rights
 * be taken over meanwhile: so the sender compares the time right before it sends.
 */
export class FreshRights implements CallPermit {
  readonly lost: CallPermit['lost'] = new AbortController().signal;
  readonly #asked: ClockReading;

  /** `asked`: before they were read. */
  constructor(asked: ClockReading) {
    this.#asked = asked;
  }

  readonly check = (): void => {
    if (elapsedSince(this.#asked) >= freshForMs) throw new StaleRights();
  };
}

/** Reads something with the caller's rights, and does this with it while the rights are fresh; otherwise once more. */
export const withFreshRights = async <Found, T>(
  read: () => Promise<Found>,
  work: (found: Found, rights: FreshRights) => Promise<T>,
): Promise<T> => {
  for (let left = mostReadings; ; left -= 1) {
    const asked = readClocks();
    const found = await read();
    try {
      return await work(found, new FreshRights(asked));
    } catch (error) {
      if (!(error instanceof StaleRights) || left === 0) throw error;
    }
  }
};

const mostReadings = 3;

/** A call that needs all of these. */
export const allOf = (...permits: readonly CallPermit[]): CallPermit => ({
  check: () => {
    for (const permit of permits) permit.check();
  },
  lost: firstOf(...permits.map(({ lost }) => lost)).signal,
});
