import { PassThrough, type Readable } from 'node:stream';
import type { Db } from '../db/service-database.ts';
import type { ConsoleConnection, ConsoleUse } from '../drivers/obm/obm-contract.ts';

/** How often the record is polled while a console is open. */
const pollMs = 2_000;
/** How long a client that was cut off may take to read what it was already sent. */
const graceMs = 2_000;
const highWaterMark = 64 * 1024;

/** Whose console it is: a session of a node. */
interface ConsoleKey {
  readonly id: string;
  readonly nodeId: number;
}

/** One client's console: from the moment it is recorded until the client's stream has closed. */
export interface ConsoleSession extends ConsoleKey {
  /** What the client reads. However the console ends, this ends cleanly. */
  readonly stream: Readable;
  /** Aborted as soon as the console is no longer this client's, or the client is gone. */
  readonly signal: AbortSignal;
  /** Passes on what the daemon sends, as fast as the client reads. */
  readonly follow: (line: ConsoleConnection) => void;
  /** What the client types goes to the daemon, if it takes any. */
  readonly write: (bytes: Buffer) => void;
  /** Why it ended, once it has; null if there is nothing to say. A client that only watches reads it in the stream. */
  readonly closeReason: () => string | null;
  readonly cut: (why: string | null) => void;
}

/** The consoles that stream through this process. Each is the recorded one of its node, or is cut off. */
export class ConsoleSessions {
  readonly #db: Pick<Db, 'read' | 'write' | 'changes'>;
  readonly #open = new Map<ConsoleSession, Promise<void>>();
  readonly #unsubscribe: () => void;
  #poll: NodeJS.Timeout | null = null;
  #isClosing = false;

  constructor(db: Pick<Db, 'read' | 'write' | 'changes'>) {
    this.#db = db;
    this.#unsubscribe = db.changes.on('consoles', this.#look);
  }

  /** Begins a session that the database has recorded. */
  open(key: ConsoleKey, use: ConsoleUse): ConsoleSession {
    const session = sessionOf(key, use);
    const closed = new Promise<void>((resolve) => session.stream.once('close', resolve));
    this.#open.set(
      session,
      closed.then(() => this.#forget(session)),
    );
    this.#poll ??= setInterval(this.#look, pollMs).unref();
    if (this.#isClosing) session.cut(stopping);
    return session;
  }

  /** Cuts off every console whose node has another recorded by now, or none. */
  async cutReplaced(): Promise<void> {
    // Listed before looking: a console opened meanwhile is recorded, but not in what is seen here.
    const sessions = [...this.#open.keys()];
    if (sessions.length === 0) return;
    const nodes = sessions.map(({ nodeId }) => nodeId);
    const rows = await this.#db.read((tx) =>
      tx.selectFrom('consoles').selectAll().where('node_id', 'in', nodes).execute(),
    );
    const recorded = new Map(rows.map(({ node_id, session }) => [node_id, session]));
    for (const session of sessions) {
      const current = recorded.get(session.nodeId);
      if (current !== session.id) session.cut(current === undefined ? switchedOff : takenOver);
    }
  }

  /** Ends all of them, and those that are still to come: the process is about to stop. */
  async closeAll(): Promise<void> {
    this.#isClosing = true;
    this.#unsubscribe();
    for (const session of this.#open.keys()) session.cut(stopping);
    await Promise.all(this.#open.values());
  }

  // A look that fails is made up for by the next poll.
  readonly #look = (): void => void this.cutReplaced().catch(() => undefined);

  async #forget(session: ConsoleSession): Promise<void> {
    // A row that stays names a session that is over: the next console of the node replaces it.
    await this.#db
      .write((tx) =>
        tx.deleteFrom('consoles').where('node_id', '=', session.nodeId).where('session', '=', session.id).execute(),
      )
      .catch(() => undefined);
    this.#open.delete(session);
    if (this.#open.size > 0 || this.#poll === null) return;
    clearInterval(this.#poll);
    this.#poll = null;
  }
}

const lineOf = (why: string): string => `\r\n[console: ${why}]\r\n`;

const broken = 'the OBM daemon closed the connection; open the console again';
const noInput = '[console: the OBM daemon of this node does not accept input]\r\n';
const takenOver = 'another client has taken over this console';
const switchedOff = 'access to this node was disabled';
const stopping = 'the service is stopping';

const sessionOf = (key: ConsoleKey, use: ConsoleUse): ConsoleSession => {
  const stream = new PassThrough({ highWaterMark });
  const cut = new AbortController();
  const line: { current: ConsoleConnection | null; why: string | null } = { current: null, why: null };
  return {
    ...key,
    stream,
    signal: cut.signal,
    follow: (daemon) => {
      line.current = daemon;
      const { bytes } = daemon;
      const end = () => {
        line.why ??= daemon.closeReason();
        bytes.unpipe(stream);
        bytes.destroy();
        stream.end();
      };
      // Destroyed by us, or by whatever is between us and the daemon.
      const lost = () => {
        if (!cut.signal.aborted && !stream.writableEnded) {
          line.why ??= broken;
          if (use === 'read-only') stream.write(lineOf(broken));
        }
        end();
      };
      bytes.on('error', lost).once('close', end);
      stream.once('close', end);
      cut.signal.addEventListener('abort', end, { once: true });
      if (cut.signal.aborted || stream.destroyed) end();
      else {
        if (use === 'read-write' && daemon.write === null) stream.write(noInput);
        bytes.pipe(stream);
      }
    },
    write: (bytes) => {
      if (!cut.signal.aborted) line.current?.write?.(bytes);
    },
    closeReason: () => line.why,
    cut: (why) => {
      if (cut.signal.aborted) return;
      line.why = why;
      if (why !== null && use === 'read-only' && !stream.writableEnded) stream.write(lineOf(why));
      cut.abort();
      stream.end();
      setTimeout(() => stream.destroy(), graceMs).unref();
    },
  };
};
