import type { Socket } from 'node:net';

/** After so long in one turn of the event loop, the connections that have not been read wait for the next turn. */
const mostMs = 10;

/** A connection that is not read for now. */
interface Held {
  /** Something called `resume` meanwhile, or it was being read before. */
  isWanted: boolean;
}

/**
 * Limits how long one turn of the event loop reads request bodies. Node's parser cannot be stopped inside a buffer of
 * 64 KiB, which may hold 11,000 chunks of one byte, and one turn reads every connection that has sent something. So once
 * bodies have taken too long, reading stops on all other connections: libuv skips those that were stopped during the
 * same turn. In the next turn they are read again, first those that were not the reason; the others one in each turn.
 */
class ReadingTurn {
  readonly #sockets = new Set<Socket>();
  readonly #held = new Map<Socket, Held>();
  /** Those whose bodies were read in this turn. */
  readonly #read = new Set<Socket>();
  readonly #slow = new Set<Socket>();
  #startedAt = 0;
  #isScheduled = false;
  #isOver = false;

  /** A connection on which requests are read. */
  add(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.remove(socket));
  }

  /** It is closed, or another protocol is read on it. */
  remove(socket: Socket): void {
    this.#sockets.delete(socket);
    this.#read.delete(socket);
    this.#slow.delete(socket);
    this.#release(socket);
  }

  /** To be called before the parts of reading a body that may take long. */
  reads(socket: Socket): void {
    if (!this.#sockets.has(socket)) return;
    if (this.#read.size === 0) this.#startedAt = performance.now();
    this.#read.add(socket);
    this.#schedule();
    if (!this.#isOver && performance.now() - this.#startedAt <= mostMs) return;
    if (this.#isOver) this.#hold(socket);
    else for (const each of this.#sockets) this.#hold(each);
    this.#isOver = true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#end());
  }

  #end(): void {
    this.#isScheduled = false;
    if (this.#isOver) for (const socket of this.#read) this.#slow.add(socket);
    this.#read.clear();
    this.#isOver = false;
    for (const socket of this.#held.keys()) if (!this.#slow.has(socket)) this.#release(socket);
    const [next] = this.#slow;
    if (next === undefined) return;
    this.#slow.delete(next);
    this.#release(next);
    if (this.#slow.size > 0) this.#schedule();
  }

  /** Node resumes a connection by itself, such as at the end of a request: what it asks for is done later. */
  #hold(socket: Socket): void {
    if (this.#held.has(socket)) return;
    const held = { isWanted: !socket.isPaused() };
    this.#held.set(socket, held);
    socket.pause();
    socket.resume = () => {
      held.isWanted = true;
      return socket;
    };
  }

  #release(socket: Socket): void {
    const held = this.#held.get(socket);
    if (held === undefined) return;
    this.#held.delete(socket);
    Reflect.deleteProperty(socket, 'resume');
    if (held.isWanted) socket.resume();
  }
}

/** A process has one event loop, whatever number of servers. */
export const readingTurn = new ReadingTurn();
