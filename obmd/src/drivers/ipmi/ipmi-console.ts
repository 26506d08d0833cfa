import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Duplex } from 'node:stream';
import type { BmcError } from '../bmc-contract.ts';
import { faultFrom } from './ipmi-faults.ts';
import { verbatim } from './escape-input.ts';

const banner = '[SOL Session operational';
/** What is longer than this without an end is not that line. */
const longestBanner = 1024;

/** How long ipmitool may take to close the session on the BMC before it is killed, in ms. */
export interface ConsoleGrace {
  readonly whenLetGo: number;
  readonly whenTaken: number;
}

/**
 * The console that an ipmitool has opened. It works on pipes, without a terminal: bytes go through as they are, its
 * own words come apart from the machine's, and if this process dies it reads the end of its input, closes the
 * session on the BMC and ends. (The masters of a pseudo terminal are inherited by every child that is started
 * later, so that such a death would go unnoticed.)
 */
export class IpmiConsole extends Duplex {
  readonly #tool: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<void>;
  readonly #grace: ConsoleGrace;
  readonly #typed = verbatim();
  /** What came before the first line of ipmitool, which is not the machine's, was complete; null afterwards. */
  #head: Buffer | null = Buffer.alloc(0);

  /** `complaint` gives what ipmitool said so far. */
  constructor(tool: ChildProcessWithoutNullStreams, complaint: () => string, grace: ConsoleGrace) {
    super();
    this.#tool = tool;
    this.#grace = grace;
    this.#ended = new Promise((resolve) => {
      tool.once('close', (code) => {
        resolve();
        this.#finish(code === 0 ? undefined : faultFrom('sol activate', complaint()));
      });
    });
    tool.stdout.on('data', (bytes: Buffer) => {
      const said = this.#withoutBanner(bytes);
      if (said.length > 0 && !this.push(said)) tool.stdout.pause();
    });
  }

  override _read(): void {
    this.#tool.stdout.resume();
  }

  override _write(typed: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    // If its ipmitool ends in between, the stream ends.
    this.#tool.stdin.write(this.#typed(typed), () => done());
  }

  override _final(done: () => void): void {
    // A client that has no more input may continue reading.
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#letGo();
    void this.#ended.then(() => done(error));
  }

  /** Lets go of it for somebody else who waits until it has closed. */
  takeAway(why: BmcError): void {
    this.#killAfter(this.#grace.whenTaken);
    this.destroy(why);
  }

  /** At the end of its input ipmitool closes the session on the BMC and ends. BMCs have few sessions. */
  #letGo(): void {
    this.#tool.stdout.removeAllListeners('data').resume();
    this.#tool.stdin.end();
    this.#killAfter(this.#grace.whenLetGo);
  }

  #killAfter(time: number): void {
    const timer = setTimeout(() => this.#tool.kill('SIGKILL'), time);
    void this.#ended.then(() => clearTimeout(timer));
  }

  /** What the machine said last is read before the stream ends. */
  #finish(error: BmcError | undefined): void {
    if (this.destroyed) return;
    this.once('end', () => this.destroy(error));
    this.push(null);
  }

  #withoutBanner(bytes: Buffer): Buffer {
    if (this.#head === null) return bytes;
    const head = Buffer.concat([this.#head, bytes]);
    const start = head.toString('latin1', 0, banner.length);
    const end = head.indexOf('\n');
    const isBanner = banner.startsWith(start);
    if (isBanner && end < 0 && head.length < longestBanner) {
      this.#head = head;
      return Buffer.alloc(0);
    }
    this.#head = null;
    return isBanner && end >= 0 ? head.subarray(end + 1) : head;
  }
}
