import { PassThrough, type Readable } from 'node:stream';
import type { Db } from '../db/db.ts';

/** How often the record is looked at without a ring, while a console is open. */
const pollMs = 2_000;
/** How long a client that was cut off may take to read what it was already sent. */
const graceMs = 2_000;
const highWaterMark = 64 * 1024;

/** One client's console: from the moment it is recorded until the client's stream has closed. */
export interface ConsoleSession {
  readonly id: string;
  /** What the client reads. However the console ends, this ends cleanly. */
  readonly stream: Readable;
  /** Aborted as soon as the console is no longer this client's, or the client is gone. */
  readonly signal: AbortSignal;
  /** Passes on what the daemon sends, as fast as the client reads. */
  readonly follow: (upstream: Readable) => void;
  readonly cut: () => void;
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

  /** Begins a session that the database has recorded under this id. */
  open(id: string): ConsoleSession {
    const session = sessionOf(id);
    const closed = new Promise<void>((resolve) => session.stream.once('close', resolve));
    this.#open.set(
      session,
      closed.then(() => this.#forget(session)),
    );
    this.#poll ??= setInterval(this.#look, pollMs).unref();
    if (this.#isClosing) session.cut();
    return session;
  }

  /** Cuts off every console whose node has another recorded by now, or none. */
  async cutReplaced(): Promise<void> {
    // Listed before looking: a console opened meanwhile is recorded, but not in what is seen here.
    const sessions = [...this.#open.keys()];
    if (sessions.length === 0) return;
    const rows = await this.#db.read((tx) => tx.selectFrom('consoles').select('session').execute());
    const recorded = new Set(rows.map(({ session }) => session));
    for (const session of sessions) if (!recorded.has(session.id)) session.cut();
  }

  /** Ends all of them, and those that are still to come: the process is about to stop. */
  async closeAll(): Promise<void> {
    this.#isClosing = true;
    this.#unsubscribe();
    for (const session of this.#open.keys()) session.cut();
    await Promise.all(this.#open.values());
  }

  // A look that fails is made up for by the next poll.
  readonly #look = (): void => void this.cutReplaced().catch(() => undefined);

  async #forget(session: ConsoleSession): Promise<void> {
    // A row that stays names a session that is over: the next console of the node replaces it.
    await this.#db
      .write((tx) => tx.deleteFrom('consoles').where('session', '=', session.id).execute())
      .catch(() => undefined);
    this.#open.delete(session);
    if (this.#open.size > 0 || this.#poll === null) return;
    clearInterval(this.#poll);
    this.#poll = null;
  }
}

const sessionOf = (id: string): ConsoleSession => {
  const stream = new PassThrough({ highWaterMark });
  const cut = new AbortController();
  return {
    id,
    stream,
    signal: cut.signal,
    follow: (upstream) => {
      const end = () => {
        upstream.unpipe(stream);
        upstream.destroy();
        stream.end();
      };
      upstream.on('error', end).once('close', end);
      stream.once('close', end);
      cut.signal.addEventListener('abort', end, { once: true });
      if (cut.signal.aborted || stream.destroyed) end();
      else upstream.pipe(stream);
    },
    cut: () => {
      if (cut.signal.aborted) return;
      cut.abort();
      stream.end();
      setTimeout(() => stream.destroy(), graceMs).unref();
    },
  };
};
