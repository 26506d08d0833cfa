import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { addressKey } from './address-key.ts';
import { hangUp } from './hang-up.ts';
import { readingTurn } from './reading-turn.ts';
import { isLeftUnread } from './unread.ts';

/** How many connections there may be. */
export interface ConnectionLimits {
  readonly total: number;
  /** 0: any number. */
  readonly perAddress: number;
  /** Whose connections are only counted in the total, because they are many people's. */
  readonly isExempt: (address: string) => boolean;
  /** Told of newcomers who found no place, and of those who had to leave for one. */
  readonly told: (what: 'refused' | 'made_room') => void;
  readonly patience?: Patience;
}

/** How long is too long. */
interface Patience {
  /** An upload that takes longer has to go before a connection that waits for its answer. */
  readonly uploadMs: number;
  /** An answer that has not been taken after this long never will be. */
  readonly takenWithinMs: number;
  readonly sweepMs: number;
}

const usual: Patience = { uploadMs: 5_000, takenWithinMs: 60_000, sweepMs: 5_000 };

/** One connection, and what it is doing. */
interface Line {
  readonly socket: Socket;
  /** Those of the same address. */
  readonly group: Set<Line> | null;
  /** Nothing that was sent on it has become a request yet. */
  isFresh: boolean;
  /** Requests that wait for their answer. */
  asked: number;
  request: IncomingMessage | null;
  response: ServerResponse | null;
  /** Since when it does what it does. */
  since: number;
  /** When its answer was first seen whole and not taken; null: not so. */
  untakenAt: number | null;
}

/**
 * Counts connections, and finds a place for newcomers when there is none: first those go that have not sent a whole
 * request yet, longest first, then those that wait for their next request, then slow uploads. A client that waits for
 * an answer or follows a stream stays, and the newcomer goes.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #patience: Patience;
  readonly #lines = new Map<Socket, Line>();
  readonly #fresh = new Set<Line>();
  /** Where the last one that had to go was: to look from the beginning would be to walk past all that were removed. */
  #oldestFresh = this.#fresh.values();
  readonly #groups = new Map<string, Set<Line>>();
  /** Connections in TLS are another object than the ones that carry them. */
  readonly #byEnds = new Map<string, Line>();
  readonly #inside = new WeakMap<Socket, Line>();

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    this.#patience = limits.patience ?? usual;
    server.on('connection', (socket: Socket) => this.#came(socket));
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) =>
      readingTurn.add(socket),
    );
    server.on('secureConnection', (socket: Socket) => {
      const line = this.#byEnds.get(endsOf(socket));
      if (line) this.#inside.set(socket, line);
    });
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      this.#asked(request, response),
    );
    server.prependListener('upgrade', ({ socket }: IncomingMessage) => {
      readingTurn.remove(socket);
      const line = this.#lineOf(socket);
      if (line === undefined) return;
      this.#fresh.delete(line);
      line.isFresh = false;
      line.asked = 1;
      line.request = null;
      line.response = null;
    });
    const sweep = setInterval(() => this.#sweep(), this.#patience.sweepMs).unref();
    server.once('close', () => clearInterval(sweep));
  }

  get size(): number {
    return this.#lines.size;
  }

  /** Closes those that have sent nothing whole for so long. */
  closeFresh(olderThanMs: number): void {
    const now = performance.now();
    for (const { socket, since } of this.#fresh) if (now - since >= olderThanMs) socket.destroy();
  }

  #came(socket: Socket): void {
    const known = this.#lineOf(socket);
    if (known) {
      // What offered another protocol is read once more as HTTP.
      known.asked = 0;
      return;
    }
    const { total, perAddress, isExempt, told } = this.#limits;
    const address = socket.remoteAddress ?? '';
    const key = addressKey(address);
    const group = perAddress === 0 || isExempt(address) ? null : (this.#groups.get(key) ?? new Set<Line>());
    const isFull = group !== null && group.size >= perAddress;
    if ((isFull || this.#lines.size >= total) && !this.#makeRoom(isFull ? group : null)) {
      told('refused');
      socket.destroy();
      return;
    }
    const line = newLine(socket, group);
    const ends = endsOf(socket);
    this.#lines.set(socket, line);
    this.#fresh.add(line);
    this.#byEnds.set(ends, line);
    if (group) this.#groups.set(key, group.add(line));
    socket.once('close', () => {
      this.#forget(line);
      this.#byEnds.delete(ends);
      if (group?.size === 0 && this.#groups.get(key) === group) this.#groups.delete(key);
    });
  }

  #lineOf(socket: Socket): Line | undefined {
    return this.#lines.get(socket) ?? this.#inside.get(socket);
  }

  #asked(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers['transfer-encoding'] !== undefined) beginChunks(request.socket);
    const line = this.#lineOf(request.socket);
    if (line === undefined) return;
    if (line.isFresh) {
      line.isFresh = false;
      this.#fresh.delete(line);
    }
    line.asked += 1;
    line.request = request;
    line.response = response;
    line.since = performance.now();
    line.untakenAt = null;
    response.on('close', () => {
      line.asked -= 1;
      line.since = performance.now();
      if (isLeftUnread(request)) hangUp(request.socket);
    });
  }

  /** A closed socket tells so only later; the place is free at once. */
  #forget(line: Line): void {
    this.#lines.delete(line.socket);
    this.#fresh.delete(line);
    line.group?.delete(line);
  }

  #makeRoom(group: ReadonlySet<Line> | null): boolean {
    const leaving = this.#leastBusy(group);
    if (leaving === null) return false;
    this.#limits.told('made_room');
    this.#forget(leaving);
    leaving.socket.destroy();
    return true;
  }

  #leastBusy(group: ReadonlySet<Line> | null): Line | null {
    if (group === null && this.#fresh.size > 0) return this.#nextFresh();
    const now = performance.now();
    let least: Line | null = null;
    let leastRank: number = ranks.stays;
    for (const line of group ?? this.#lines.values()) {
      const rank = rankOf(line, now - this.#patience.uploadMs);
      if (rank > leastRank || rank === ranks.stays) continue;
      if (rank === leastRank && least !== null && least.since <= line.since) continue;
      least = line;
      leastRank = rank;
    }
    return least;
  }

  #nextFresh(): Line | null {
    const next = this.#oldestFresh.next();
    if (next.done !== true) return next.value;
    this.#oldestFresh = this.#fresh.values();
    return this.#oldestFresh.next().value ?? null;
  }

  #sweep(): void {
    const now = performance.now();
    for (const line of this.#lines.values()) {
      if (line.asked === 0 || line.response?.writableEnded !== true) continue;
      line.untakenAt ??= now;
      if (now - line.untakenAt > this.#patience.takenWithinMs) line.socket.destroy();
    }
  }
}

/**
 * What has come is parsed at once; more of it is read when the body is wanted, and Node resumes the connection then.
 */
const beginChunks = (socket: Socket): void => {
  readingTurn.reads(socket);
  socket.pause();
};

const newLine = (socket: Socket, group: Set<Line> | null): Line => ({
  socket,
  group,
  isFresh: true,
  asked: 0,
  request: null,
  response: null,
  since: performance.now(),
  untakenAt: null,
});

const ranks = { fresh: 0, idle: 1, uploads: 2, stays: 3 } as const;

const rankOf = ({ isFresh, asked, request, since }: Line, longAgo: number): number => {
  if (isFresh) return ranks.fresh;
  if (asked === 0) return ranks.idle;
  return request?.complete === false && since < longAgo ? ranks.uploads : ranks.stays;
};

const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress ?? ''} ${remotePort ?? ''} ${localAddress ?? ''}`;
