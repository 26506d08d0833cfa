import type { LabPort } from './lab-switch.ts';

/** What ports carried, moment by moment: a device writes down every change that it makes. */
export class Moments {
  readonly #seen = new Map<string, LabPort[]>();

  note(port: string, state: LabPort): void {
    const seen = this.#seen.get(port) ?? [];
    if (JSON.stringify(seen.at(-1)) !== JSON.stringify(state)) seen.push(state);
    this.#seen.set(port, seen);
  }

  /** All that the port carried since it was last asked. */
  take(port: string): readonly LabPort[] {
    const seen = this.#seen.get(port) ?? [];
    this.#seen.delete(port);
    return seen;
  }
}
