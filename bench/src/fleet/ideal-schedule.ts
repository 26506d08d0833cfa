/** What a slow switch makes everybody wait for. */
export interface Temper {
  /** To let anyone in. */
  readonly loginMs: number;
  /** For each port that it changes. */
  readonly portMs: number;
}

/** What happened to one switch. */
export interface SwitchDay {
  /** When the first change on it was asked for, from the beginning of the day. */
  readonly askedMs: number;
  readonly ports: number;
  /** How often it dropped the line in the middle of a change. */
  readonly drops: number;
}

/**
 * How long the whole site takes with a perfect scheduler. It works on all switches at once, over one session each, and
 * begins to log in the moment that a switch is first asked for something. The login takes its time, and so does every
 * port, once. When the line drops, which nobody can foresee, it logs in again without any pause, and changes the port
 * again at which it dropped; nothing that was done before is done again. It reads back, records and notifies in no time.
 */
export const idealMs = (days: readonly SwitchDay[], { loginMs, portMs }: Temper): number =>
  Math.max(0, ...days.map(({ askedMs, ports, drops }) => askedMs + (1 + drops) * loginMs + (ports + drops) * portMs));
