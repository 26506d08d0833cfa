interface CacheLimits<Key, Value> {
  /** How many entries; where they have sizes, how much they may be together. */
  readonly most: number;
  readonly sizeOf?: (key: Key, value: Value) => number;
  /** After how long an entry is forgotten, by the monotonic clock. */
  readonly lastsMs?: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
  readonly until: number;
}

/** A map with limits. When it is full, the tenth that was set longest ago is forgotten. */
export class Cache<Key, Value> {
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #most: number;
  readonly #sizeOf: (key: Key, value: Value) => number;
  readonly #lastsMs: number;
  #total = 0;

  constructor({ most, sizeOf = () => 1, lastsMs = Number.POSITIVE_INFINITY }: CacheLimits<Key, Value>) {
    this.#most = most;
    this.#sizeOf = sizeOf;
    this.#lastsMs = lastsMs;
  }

  /** How many entries there are, with those whose time is over and that nobody asked for since. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || performance.now() < entry.until) return entry?.value;
    this.delete(key);
    return undefined;
  }

  /** `since`, by `performance.now()`: its time begins then. */
  set(key: Key, value: Value, since = performance.now()): void {
    this.delete(key);
    const size = this.#sizeOf(key, value);
    this.#entries.set(key, { value, size, until: since + this.#lastsMs });
    this.#total += size;
    if (this.#total <= this.#most) return;
    // Many together: what is deleted from the front of a Map is stepped over again at each look at the front.
    for (const oldest of this.#entries.keys()) {
      if (this.#total <= this.#most - Math.floor(this.#most / 10)) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): boolean {
    this.#total -= this.#entries.get(key)?.size ?? 0;
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#total = 0;
  }

  /** Forgets all entries of which this is true. */
  deleteWhere(isOver: (value: Value) => boolean): void {
    for (const [key, { value }] of this.#entries) if (isOver(value)) this.delete(key);
  }
}
