const mostKept = 1024 * 1024;

/** Bytes that came and were not taken yet, one after the other. However small the pieces, each byte is copied few times. */
export class ByteQueue {
  #store = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  /** All of them. What is taken of it stays as it is when more comes. */
  get bytes(): Buffer {
    return this.#store.subarray(this.#start, this.#end);
  }

  push(piece: Buffer): void {
    if (this.#store.length - this.#end < piece.length) this.#grow(piece.length);
    piece.copy(this.#store, this.#end);
    this.#end += piece.length;
  }

  /** Takes so many from the front. */
  drop(count: number): void {
    this.#start += count;
    // Room for one long message is not kept for the short ones after it.
    if (this.#start === this.#end && this.#store.length > mostKept) this.#store = Buffer.alloc(0);
    if (this.#store.length === 0) this.#start = this.#end = 0;
  }

  #grow(more: number): void {
    const waiting = this.bytes;
    const store = Buffer.allocUnsafe(Math.max(4096, 2 * (waiting.length + more)));
    waiting.copy(store);
    this.#store = store;
    this.#start = 0;
    this.#end = waiting.length;
  }
}
