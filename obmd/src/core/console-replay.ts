/** Many small chunks cost more than the bytes in them. */
const mostChunks = 1024;

/** The last bytes of something that goes on and on. */
export class Replay {
  readonly #most: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Buffer): void {
    if (this.#chunks.length >= mostChunks) this.#chunks = [Buffer.concat(this.#chunks)];
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    // Whole chunks that fell behind; what is too much of the first one is cut off when it is read.
    for (let first = this.#chunks[0]; first && this.#length - first.length >= this.#most; first = this.#chunks[0]) {
      this.#length -= first.length;
      this.#chunks.shift();
    }
  }

  bytes(): Buffer {
    const all = Buffer.concat(this.#chunks);
    return all.subarray(Math.max(0, all.length - this.#most));
  }

  wipe(): void {
    this.#chunks = [];
    this.#length = 0;
  }
}
