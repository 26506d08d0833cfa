import { duplicate } from './obmd-error.ts';

type Resolve = () => Promise<readonly string[]>;

/** Which node is at which BMC: two nodes at one would be two tenants at one machine. */
export class BmcAddresses {
  readonly #known = new Map<string, readonly string[]>();
  /** Nodes from before the start, whose names nobody has resolved yet. */
  readonly #expected = new Map<string, Resolve>();

  addUnresolved(id: string, resolve: Resolve): void {
    this.#expected.set(id, resolve);
  }

  /** Refuses a place that another node has; one that was there before stays as it is. */
  async take(id: string, addresses: readonly string[]): Promise<void> {
    for (const [other, resolve] of this.#expected) {
      if (other === id) continue;
      const found = await resolve();
      if (this.#expected.delete(other)) this.#known.set(other, found);
    }
    for (const [other, taken] of this.#known) {
      const address = other === id ? undefined : taken.find((one) => addresses.some((own) => isSameAddress(one, own)));
      if (address === undefined) continue;
      throw duplicate(
        `node ${id} would be the same machine as node ${other} (${address}); delete node ${other} first, or correct "info"`,
      );
    }
    this.#expected.delete(id);
    this.#known.set(id, addresses);
  }

  release(id: string): void {
    this.#known.delete(id);
    this.#expected.delete(id);
  }
}

/** Can these be the same machine? One that names no part of a place may be any part of it. */
const isSameAddress = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}, `) || other.startsWith(`${one}, `);
