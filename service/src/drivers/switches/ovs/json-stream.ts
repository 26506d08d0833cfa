import { ByteQueue } from '../byte-queue.ts';

const quote = 0x22;
const backslash = 0x5c;
const openers: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const closers: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** Every port of a large bridge, each with every VLAN, is a tenth of this. */
const longestText = 64 * 1024 * 1024;

/**
 * Cuts a stream of JSON texts, written one after the other with nothing between them, at their ends. Each byte
 * is read once, however the stream is split.
 */
export class JsonStream {
  /** Not the pieces themselves: each of many small ones takes more memory than its bytes. */
  readonly #begun = new ByteQueue();
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** The values that are complete now. Throws if the stream can no longer be one of objects and arrays. */
  push(chunk: Buffer): unknown[] {
    const values: unknown[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (!this.#endsAt(chunk[at] ?? 0)) continue;
      values.push(this.#take(chunk.subarray(start, at + 1)));
      start = at + 1;
    }
    this.#keep(chunk.subarray(start));
    return values;
  }

  #endsAt(byte: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === backslash) this.#escaped = true;
      else if (byte === quote) this.#inString = false;
      return false;
    }
    if (openers.has(byte)) this.#depth += 1;
    else if (this.#depth === 0 && !spaces.has(byte)) throw garbage(String.fromCharCode(byte));
    else if (byte === quote) this.#inString = true;
    else if (closers.has(byte)) return --this.#depth === 0;
    return false;
  }

  #take(end: Buffer): unknown {
    this.#keep(end);
    const { bytes } = this.#begun;
    const text = bytes.toString('utf8');
    this.#begun.drop(bytes.length);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw garbage(text);
    }
  }

  #keep(rest: Buffer): void {
    this.#begun.push(rest);
    if (this.#begun.bytes.length > longestText) throw new Error('the database sends a response that is too long');
  }
}

const garbage = (text: string): Error =>
  new Error(`the database sends something that is not JSON: ${JSON.stringify(text.slice(0, 60))}`);
