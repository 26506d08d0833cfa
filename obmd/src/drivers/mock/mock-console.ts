import { Duplex } from 'node:stream';

/** How the machine on the other end is talked to. */
export interface MockLine {
  typed(bytes: Buffer): void;
  left(console: MockConsole): void;
}

/** The caller's end of a mock machine's serial console. */
export class MockConsole extends Duplex {
  readonly #line: MockLine;
  #isFull = false;

  constructor(line: MockLine) {
    super({ allowHalfOpen: false });
    this.#line = line;
  }

  /** The machine says something. A serial line waits for nobody: what does not fit is lost. */
  hear(text: string | Buffer): void {
    if (!this.#isFull && !this.destroyed) this.#isFull = !this.push(text);
  }

  override _read(): void {
    this.#isFull = false;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#line.typed(bytes);
    done();
  }

  override _final(done: (error?: Error) => void): void {
    done();
    this.destroy();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#line.left(this);
    done(error);
  }
}
