/** How fast the clock follows a time of day that was set: a second in ten. */
const followRate = 0.1;
/** Further off than this, the clock was wrong for good, and nothing is gained by being wrong for longer. */
const longestFollowMs = 24 * 3_600_000;

type Clock = () => number;

/**
 * The time of day in milliseconds, for measuring how long ago something was and when it is due. It runs as evenly as the
 * monotonic clock: when somebody sets the machine's clock, it does not jump, but follows at a tenth of its speed. What
 * people are shown, and what others wrote down as a time of day, is `Date.now()`.
 */
export class SteadyClock {
  readonly #timeOfDay: Clock;
  readonly #monotonic: Clock;
  /** What to add to the monotonic clock. */
  #offset: number;
  #at: number;

  constructor(timeOfDay: Clock = () => Date.now(), monotonic: Clock = () => performance.now()) {
    this.#timeOfDay = timeOfDay;
    this.#monotonic = monotonic;
    this.#at = monotonic();
    this.#offset = timeOfDay() - this.#at;
  }

  now(): number {
    const at = this.#monotonic();
    // A monotonic clock that went back after all has measured nothing: it is no reason to move, least of all away.
    const most = Math.max(0, at - this.#at) * followRate;
    const behind = this.#timeOfDay() - (at + this.#offset);
    this.#offset += Math.abs(behind) > longestFollowMs ? behind : Math.max(-most, Math.min(most, behind));
    this.#at = at;
    return Math.round(at + this.#offset);
  }
}

const clock = new SteadyClock();

/** The time of day by this process's steady clock. */
export const steadyNow = (): number => clock.now();

/**
 * When something is due, by a time that was stored: perhaps by another machine, or before the clock was set. Nothing is
 * put off for longer than `longestMs`, so what is much further in the future is due now.
 */
export const dueAt = (stored: number, now: number, longestMs: number): number =>
  stored - now > 2 * longestMs ? now : stored;
