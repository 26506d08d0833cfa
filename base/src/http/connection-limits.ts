import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { addressKey } from './address-key.ts';
import { hangUp } from './hang-up.ts';
import { readingTurn } from './reading-turn.ts';
import { isLeftUnread } from './unread-body.ts';

/** How many connections there may be. */
export interface ConnectionLimits {
  readonly total: number;
  /** 0: any number. */
  readonly perAddress: number;
  /** Whose connections are only counted in the total, because they are many people's. */
  readonly isExempt: (address: string) => boolean;
  /** Told of new connections who found no place, and of those who had to leave for one. */
  readonly onEvent: (what: 'refused' | 'made_room') => void;
  readonly timeouts?: ConnectionTimeouts;
}

/** How long is too long. */
interface ConnectionTimeouts {
  /** An upload that takes longer has to go before a connection that waits for its answer. */
  readonly uploadMs: number;
  /** An answer that has not been taken after this long never will be. */
  readonly takenWithinMs: number;
  readonly sweepMs: number;
}

const defaultTimeouts: ConnectionTimeouts = { uploadMs: 5_000, takenWithinMs: 60_000, sweepMs: 5_000 };

/** One connection, and what it is doing. */
interface TrackedConnection {
  readonly socket: Socket;
  /** Those of the same address. */
  readonly group: Set<TrackedConnection> | null;
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
 * Counts connections, and finds a place for new connections when there is none: first those go that have not sent a whole
 * request yet, longest first, then those that wait for their next request, then slow uploads. A client that waits for
 * an answer or follows a stream stays, and the new connection is refused.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #timeouts: ConnectionTimeouts;
  readonly #tracked = new Map<Socket, TrackedConnection>();
  readonly #fresh = new Set<TrackedConnection>();
  /** Where the last one that had to go was: to look from the beginning would be to walk past all that were removed. */
  #oldestFresh = this.#fresh.values();
  readonly #groups = new Map<string, Set<TrackedConnection>>();
  /** Connections in TLS are another object than the ones that carry them. */
  readonly #byEnds = new Map<string, TrackedConnection>();
  readonly #inside = new WeakMap<Socket, TrackedConnection>();

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    this.#timeouts = limits.timeouts ?? defaultTimeouts;
    server.on('connection', (socket: Socket) => this.#onConnection(socket));
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) =>
      readingTurn.add(socket),
    );
    server.on('secureConnection', (socket: Socket) => {
      const connection = this.#byEnds.get(endsOf(socket));
      if (connection) this.#inside.set(socket, connection);
    });
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      this.#onRequest(request, response),
    );
    server.prependListener('upgrade', ({ socket }: IncomingMessage) => {
      readingTurn.remove(socket);
      const connection = this.#connectionOf(socket);
      if (connection === undefined) return;
      this.#fresh.delete(connection);
      connection.isFresh = false;
      connection.asked = 1;
      connection.request = null;
      connection.response = null;
    });
    const sweep = setInterval(() => this.#sweep(), this.#timeouts.sweepMs).unref();
    server.once('close', () => clearInterval(sweep));
  }

  get size(): number {
    return this.#tracked.size;
  }

  /** Closes those that have sent nothing whole for so long. */
  closeFresh(olderThanMs: number): void {
    const now = performance.now();
    for (const { socket, since } of this.#fresh) if (now - since >= olderThanMs) socket.destroy();
  }

  #onConnection(socket: Socket): void {
    const known = this.#connectionOf(socket);
    if (known) {
      // What offered another protocol is read once more as HTTP.
      known.asked = 0;
      return;
    }
    const { total, perAddress, isExempt, onEvent } = this.#limits;
    const address = socket.remoteAddress ?? '';
    const key = addressKey(address);
    const group =
      perAddress === 0 || isExempt(address) ? null : (this.#groups.get(key) ?? new Set<TrackedConnection>());
    const isFull = group !== null && group.size >= perAddress;
    if ((isFull || this.#tracked.size >= total) && !this.#makeRoom(isFull ? group : null)) {
      onEvent('refused');
      socket.destroy();
      return;
    }
    const connection = trackConnection(socket, group);
    const ends = endsOf(socket);
    this.#tracked.set(socket, connection);
    this.#fresh.add(connection);
    this.#byEnds.set(ends, connection);
    if (group) this.#groups.set(key, group.add(connection));
    socket.once('close', () => {
      this.#forget(connection);
      this.#byEnds.delete(ends);
      if (group?.size === 0 && this.#groups.get(key) === group) this.#groups.delete(key);
    });
  }

  #connectionOf(socket: Socket): TrackedConnection | undefined {
    return this.#tracked.get(socket) ?? this.#inside.get(socket);
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers['transfer-encoding'] !== undefined) beginChunks(request.socket);
    const connection = this.#connectionOf(request.socket);
    if (connection === undefined) return;
    if (connection.isFresh) {
      connection.isFresh = false;
      this.#fresh.delete(connection);
    }
    connection.asked += 1;
    connection.request = request;
    connection.response = response;
    connection.since = performance.now();
    connection.untakenAt = null;
    response.on('close', () => {
      connection.asked -= 1;
      connection.since = performance.now();
      if (isLeftUnread(request)) hangUp(request.socket);
    });
  }

  /** A closed socket tells so only later; the place is free at once. */
  #forget(connection: TrackedConnection): void {
    this.#tracked.delete(connection.socket);
    this.#fresh.delete(connection);
    connection.group?.delete(connection);
  }

  #makeRoom(group: ReadonlySet<TrackedConnection> | null): boolean {
    const leaving = this.#leastBusy(group);
    if (leaving === null) return false;
    this.#limits.onEvent('made_room');
    this.#forget(leaving);
    leaving.socket.destroy();
    return true;
  }

  #leastBusy(group: ReadonlySet<TrackedConnection> | null): TrackedConnection | null {
    if (group === null && this.#fresh.size > 0) return this.#nextFresh();
    const now = performance.now();
    let least: TrackedConnection | null = null;
    let leastRank: number = ranks.stays;
    for (const connection of group ?? this.#tracked.values()) {
      const rank = rankOf(connection, now - this.#timeouts.uploadMs);
      if (rank > leastRank || rank === ranks.stays) continue;
      if (rank === leastRank && least !== null && least.since <= connection.since) continue;
      least = connection;
      leastRank = rank;
    }
    return least;
  }

  #nextFresh(): TrackedConnection | null {
    const next = this.#oldestFresh.next();
    if (next.done !== true) return next.value;
    this.#oldestFresh = this.#fresh.values();
    return this.#oldestFresh.next().value ?? null;
  }

  #sweep(): void {
    const now = performance.now();
    for (const connection of this.#tracked.values()) {
      if (connection.asked === 0 || connection.response?.writableEnded !== true) continue;
      connection.untakenAt ??= now;
      if (now - connection.untakenAt > this.#timeouts.takenWithinMs) connection.socket.destroy();
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

const trackConnection = (socket: Socket, group: Set<TrackedConnection> | null): TrackedConnection => ({
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

const rankOf = ({ isFresh, asked, request, since }: TrackedConnection, longAgo: number): number => {
  if (isFresh) return ranks.fresh;
  if (asked === 0) return ranks.idle;
  return request?.complete === false && since < longAgo ? ranks.uploads : ranks.stays;
};

const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress ?? ''} ${remotePort ?? ''} ${localAddress ?? ''}`;
