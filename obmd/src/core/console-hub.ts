import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff, type Growth } from '@corral/base/backoff';
import { Replay } from './console-replay.ts';

/** Who watches a console. */
export interface ConsoleClient {
  /** Takes bytes; false: it has far too much unread already. */
  send(bytes: Buffer): boolean;
  /** Tells it why, and disconnects it. */
  end(why: string): void;
}

/** A client's hold on a console, for as long as it has it. */
export interface ConsoleAttachment {
  readonly write: (bytes: Buffer) => void;
  readonly leave: () => void;
}

interface ConsoleHubOptions {
  readonly lingerMs: number;
  readonly growth?: Growth;
  /** Does this process certainly still have the node? */
  readonly isOurs?: () => boolean;
}

/** How much of the past a new client is shown. */
const replayBytes = 64 * 1024;
/** What is typed faster than the BMC takes it is lost beyond this, as on any serial line. */
const mostUntyped = 64 * 1024;
/** A BMC that drops its console gets it opened again while somebody watches: so many times, after growing pauses. */
const usualGrowth: Growth = { firstMs: 1_000, longestMs: 10_000 };
const mostLosses = 7;
/** A console that lasted this long was a good one; one that is dropped sooner counts with the losses before it. */
const goodMs = 30_000;
const gap = Buffer.from('\r\n[console: the BMC closed the connection; reconnecting]\r\n');
/** A console that does not close is left behind. */
const closeMs = 10_000;

/** Closes a line. Resolves when it has closed, or when it is left behind. */
const closed = (connection: Duplex): Promise<void> =>
  new Promise((resolve) => {
    if (connection.closed) return resolve();
    const timer = setTimeout(resolve, closeMs).unref();
    connection.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    connection.destroy();
  });

/**
 * The console of one node: one line to its BMC, held for one client at a time. The line outlives its client for a
 * while, so that a returning client sees what happened in between.
 */
export class ConsoleHub {
  readonly #open: () => Promise<Duplex>;
  readonly #lingerMs: number;
  readonly #isOurs: () => boolean;
  readonly #replay = new Replay(replayBytes);
  #client: ConsoleClient | null = null;
  /** The client has been shown the past, and gets everything from now on. */
  #isLive = false;
  #connection: Duplex | null = null;
  /** Stops listening to the line; the driver has listeners of its own on it. */
  #unsubscribe: () => void = () => undefined;
  #opening: Promise<void> | null = null;
  #closed: Promise<unknown> = Promise.resolve();
  #linger: NodeJS.Timeout | null = null;
  readonly #losses: Backoff;
  #openedAt = 0;
  /** Grows whenever the console passes to somebody who must not see its past. */
  #generation = 0;

  constructor(open: () => Promise<Duplex>, { lingerMs, growth = usualGrowth, isOurs = () => true }: ConsoleHubOptions) {
    this.#losses = new Backoff(growth);
    this.#open = open;
    this.#lingerMs = lingerMs;
    this.#isOurs = isOurs;
  }

  get state(): 'idle' | 'open' | 'watched' {
    if (this.#client !== null) return 'watched';
    return this.#connection === null ? 'idle' : 'open';
  }

  /** Gives the console to this client. The previous client is notified and disconnected. */
  async attach(client: ConsoleClient): Promise<ConsoleAttachment> {
    this.#replace(client, 'another client has taken over this console');
    this.#losses.succeeded();
    if (this.#linger) clearTimeout(this.#linger);
    try {
      await this.#connected();
    } catch (error) {
      this.#leave(client);
      throw error;
    }
    if (this.#client === client) {
      client.send(this.#replay.bytes());
      this.#isLive = true;
    }
    return {
      write: (bytes) => {
        const connection = this.#client === client ? this.#connection : null;
        // What was typed while this process slept may come before it notices that it has lost the node.
        if (connection !== null && connection.writableLength <= mostUntyped && this.#isOurs()) connection.write(bytes);
      },
      leave: () => this.#leave(client),
    };
  }

  /** Takes the console from its client and forgets what was on it. Resolves when the line to the BMC is closed. */
  async reset(why: string): Promise<void> {
    this.#generation += 1;
    this.#replace(null, why);
    this.#replay.wipe();
    if (this.#linger) clearTimeout(this.#linger);
    const opening = this.#opening;
    this.#opening = null;
    this.#hangUp();
    if (opening) this.#closed = Promise.all([this.#closed, opening.catch(() => undefined)]);
    await this.#closed;
  }

  #replace(client: ConsoleClient | null, why: string): void {
    const before = this.#client;
    this.#client = client;
    this.#isLive = false;
    before?.end(why);
  }

  #leave(client: ConsoleClient): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#isLive = false;
    if (this.#connection === null) return;
    this.#linger = setTimeout(() => this.#hangUp(), this.#lingerMs).unref();
  }

  #hangUp(): void {
    const connection = this.#connection;
    if (connection === null) return;
    this.#connection = null;
    this.#unsubscribe();
    this.#closed = Promise.all([this.#closed, closed(connection)]);
  }

  #connected(): Promise<void> {
    if (this.#connection !== null) return Promise.resolve();
    if (this.#opening !== null) return this.#opening;
    const opening = this.#connect(this.#generation).finally(() => {
      if (this.#opening === opening) this.#opening = null;
    });
    this.#opening = opening;
    return opening;
  }

  async #connect(generation: number): Promise<void> {
    await this.#closed;
    // The client that requested it has lost it by now; what opens is for the holder of the node.
    if (generation !== this.#generation) return;
    const connection = await this.#open();
    connection.on('error', () => undefined);
    if (generation !== this.#generation) {
      await closed(connection);
      return;
    }
    this.#connection = connection;
    this.#openedAt = performance.now();
    const heard = (bytes: Buffer) => this.#received(bytes);
    const lost = () => this.#lost(generation);
    connection.on('data', heard).once('close', lost);
    this.#unsubscribe = () => connection.off('data', heard).off('close', lost);
    if (connection.destroyed) this.#lost(generation);
    // Everybody may have left while it was being opened.
    else if (this.#client === null) this.#linger = setTimeout(() => this.#hangUp(), this.#lingerMs).unref();
  }

  #received(bytes: Buffer): void {
    this.#replay.add(bytes);
    if (this.#isLive && this.#client?.send(bytes) === false) {
      this.#replace(null, 'this client reads too slowly; reconnect to see the latest output');
      this.#linger = setTimeout(() => this.#hangUp(), this.#lingerMs).unref();
    }
  }

  #lost(generation: number): void {
    this.#connection = null;
    if (generation !== this.#generation || this.#client === null) return;
    // In the stream, because what comes next has a gap before it.
    if (this.#isLive) this.#client.send(gap);
    if (performance.now() - this.#openedAt >= goodMs) this.#losses.succeeded();
    void this.#reopen(generation);
  }

  async #reopen(generation: number): Promise<void> {
    const isOver = () => generation !== this.#generation || this.#client === null || this.#connection !== null;
    while (this.#losses.failures < mostLosses) {
      await sleep(this.#losses.failed(), undefined, { ref: false });
      if (isOver()) return;
      try {
        await this.#connected();
        return;
      } catch {
        // The next pause is longer.
      }
    }
    if (!isOver()) this.#replace(null, 'the BMC closed this console and does not reopen it');
  }
}
