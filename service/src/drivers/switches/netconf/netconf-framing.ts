import { ByteQueue } from '../byte-queue.ts';

/** How messages are framed (RFC 6242): by an end mark, or in counted chunks. */
export type Framing = 'end-of-message' | 'chunked';

const endMark = ']]>]]>';
const lf = 0x0a;
const hash = 0x23;
/** `\n#` and ten digits: the largest chunk is 4294967295 bytes. */
const longestHeader = 12;
/** More than any switch sends; a device that sends without end must not exhaust the memory. */
const longestMessage = 64 * 1024 * 1024;

/** One message as it goes on the line. */
export const framed = (message: string, framing: Framing): string =>
  framing === 'chunked' ? `\n#${Buffer.byteLength(message)}\n${message}\n##\n` : `${message}\n${endMark}`;

/** Bytes in, messages out. Pulled one by one, because the framing changes after the first message. */
export class Deframer {
  framing: Framing = 'end-of-message';
  readonly #queue = new ByteQueue();
  #chunks: Buffer[] = [];
  #searched = 0;
  #size = 0;

  push(bytes: Buffer): void {
    this.#queue.push(bytes);
    if (this.#queue.bytes.length + this.#size > longestMessage) throw new Error('a NETCONF message that does not end');
  }

  /** The next whole message; null: more bytes are needed. */
  next(): string | null {
    return this.framing === 'chunked' ? this.#nextChunked() : this.#nextMarked();
  }

  #nextMarked(): string | null {
    const { bytes } = this.#queue;
    const end = bytes.indexOf(endMark, this.#searched);
    if (end < 0) {
      this.#searched = Math.max(0, bytes.length - endMark.length + 1);
      return null;
    }
    const message = bytes.toString('utf8', 0, end);
    this.#queue.drop(end + endMark.length);
    this.#searched = 0;
    return message;
  }

  #nextChunked(): string | null {
    if (this.#chunks.length === 0) this.#skipBlankLines();
    for (;;) {
      const header = this.#header();
      if (header === null) return null;
      if (header.size === 'end') {
        this.#queue.drop(header.length);
        const message = Buffer.concat(this.#chunks).toString('utf8');
        this.#chunks = [];
        this.#size = 0;
        return message;
      }
      const end = header.length + header.size;
      if (this.#size + header.size > longestMessage) throw new Error('a NETCONF message that is too long');
      const { bytes } = this.#queue;
      if (bytes.length < end) return null;
      this.#chunks.push(bytes.subarray(header.length, end));
      this.#size += header.size;
      this.#queue.drop(end);
    }
  }

  /** Devices end the line after the mark of their greeting; what follows it is already chunked. */
  #skipBlankLines(): void {
    const { bytes } = this.#queue;
    let blank = 0;
    while (bytes[blank] === lf && bytes[blank + 1] === lf) blank += 1;
    this.#queue.drop(blank);
  }

  #header(): { readonly length: number; readonly size: number | 'end' } | null {
    const { bytes } = this.#queue;
    if ((bytes.length > 0 && bytes[0] !== lf) || (bytes.length > 1 && bytes[1] !== hash)) throw this.#strange();
    const end = bytes.indexOf(lf, 2);
    if (end < 0 || end > longestHeader) {
      if (bytes.length > longestHeader) throw this.#strange();
      return null;
    }
    const size = bytes.toString('latin1', 2, end);
    if (size === '#') {
      if (this.#chunks.length === 0) throw this.#strange();
      return { length: end + 1, size: 'end' };
    }
    if (!/^[1-9]\d{0,9}$/.test(size)) throw this.#strange();
    return { length: end + 1, size: Number(size) };
  }

  #strange(): Error {
    return new Error(`no NETCONF chunk: ${JSON.stringify(this.#queue.bytes.toString('latin1', 0, 40))}`);
  }
}
