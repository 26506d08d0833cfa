import type { LabPort } from './lab-switch.ts';

/** What ports carried, moment by moment: a device writes down every change that it makes. */
export class StateHistory {
  readonly #seen = new Map<string, LabPort[]>();
  readonly #watched = new Map<string, LabPort[]>();

  note(port: string, state: LabPort): void {
    const seen = this.#seen.get(port) ?? [];
    this.#seen.set(port, seen);
    for (const list of [seen, this.#watched.get(port)]) {
      if (list && JSON.stringify(list.at(-1)) !== JSON.stringify(state)) list.push(state);
    }
  }

  /** Notes the ports that are watched, for a device that changes all of them at once. */
  noteWatched(carried: (port: string) => LabPort): void {
    for (const port of this.#watched.keys()) this.note(port, carried(port));
  }

  /** All that the port carried since it was last asked. */
  take(port: string): readonly LabPort[] {
    const seen = this.#seen.get(port) ?? [];
    this.#seen.delete(port);
    return seen;
  }

  /** What the port carries now, and everything that it carries from now on. */
  watch(port: string, now: LabPort): readonly LabPort[] {
    const moments = [now];
    this.#watched.set(port, moments);
    return moments;
  }
}
