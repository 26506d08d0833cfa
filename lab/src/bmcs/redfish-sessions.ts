import { randomBytes } from 'node:crypto';

interface Session {
  readonly id: string;
  readonly token: string;
  usedAt: number;
}

/** The sessions of a Redfish service: only so many at a time, and those that nobody uses end. */
export class RedfishSessions {
  readonly #most: number;
  readonly #seconds: number;
  readonly #open = new Map<string, Session>();
  #made = 0;

  constructor(most: number, seconds: number) {
    this.#most = most;
    this.#seconds = seconds;
  }

  /** How many are open. */
  get count(): number {
    this.#forgetOld();
    return this.#open.size;
  }

  /** How many were made so far. */
  get made(): number {
    return this.#made;
  }

  get ids(): readonly string[] {
    this.#forgetOld();
    return [...this.#open.keys()];
  }

  /** Null: there are too many. */
  create(): { readonly id: string; readonly token: string } | null {
    this.#forgetOld();
    if (this.#open.size >= this.#most) return null;
    this.#made += 1;
    const session = { id: `s${this.#made}`, token: randomBytes(16).toString('hex'), usedAt: Date.now() };
    this.#open.set(session.id, session);
    return session;
  }

  /** Is this the token of an open session? */
  use(token: string): boolean {
    this.#forgetOld();
    const session = [...this.#open.values()].find((one) => one.token === token);
    if (session) session.usedAt = Date.now();
    return session !== undefined;
  }

  end(id: string): boolean {
    return this.#open.delete(id);
  }

  /** As after a restart of the BMC. */
  endAll(): void {
    this.#open.clear();
  }

  #forgetOld(): void {
    const oldest = Date.now() - this.#seconds * 1000;
    for (const { id, usedAt } of this.#open.values()) if (usedAt < oldest) this.#open.delete(id);
  }
}
