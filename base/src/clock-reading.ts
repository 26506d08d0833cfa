/** A moment by two clocks: one that never steps but may stand still while the machine sleeps, and the time of day. */
export interface ClockReading {
  readonly steady: number;
  readonly wall: number;
}

export const readClocks = (): ClockReading => ({ steady: performance.now(), wall: Date.now() });

/**
 * How long ago it was, by the clock that says more. Asked about a right that ends: a time of day that was set forward
 * costs the right, and one that was set back does no harm.
 */
export const elapsedSince = ({ steady, wall }: ClockReading): number =>
  Math.max(performance.now() - steady, Date.now() - wall);
