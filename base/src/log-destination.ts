import { writeSync } from 'node:fs';

/** A reader that is behind gets this much later, and what is more than it not at all. */
const mostWaiting = 1024 * 1024;
const againMs = 50;

type Write = (fd: number, bytes: Buffer) => number;

/**
 * Where log entries go. A disk that is full or a pipe that nobody reads loses entries, and neither stops the program
 * nor holds it up; the number of lost entries is logged when there is room again.
 */
export class LogDestination {
  readonly #fd: number;
  readonly #write: Write;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #lost = 0;
  #again: NodeJS.Timeout | null = null;

  constructor(fd: number, write: Write = writeSync) {
    this.#fd = fd;
    this.#write = write;
  }

  write(line: string): void {
    const note = this.#lost === 0 ? '' : lostNote(this.#lost);
    const bytes = Buffer.from(note + line);
    if (this.#bytes + bytes.length > mostWaiting) {
      this.#lost += 1;
      return;
    }
    const lost = this.#lost;
    this.#lost = 0;
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#again === null && !this.#flush()) this.#lost = lost + 1;
  }

  /** False: what was to be written is lost. */
  #flush(): boolean {
    let rest = Buffer.concat(this.#waiting);
    try {
      while (rest.length > 0) rest = rest.subarray(this.#write(this.#fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
        this.#keep([]);
        return false;
      }
      this.#again = setTimeout(() => {
        this.#again = null;
        if (!this.#flush()) this.#lost += 1;
      }, againMs).unref();
    }
    this.#keep(rest.length === 0 ? [] : [rest]);
    return true;
  }

  #keep(rest: Buffer[]): void {
    this.#waiting = rest;
    this.#bytes = rest.reduce((sum, { length }) => sum + length, 0);
  }
}

const lostNote = (count: number): string =>
  `${JSON.stringify({ level: 40, time: Date.now(), pid: process.pid, lost: count, msg: 'log entries lost: failed to write them' })}\n`;
