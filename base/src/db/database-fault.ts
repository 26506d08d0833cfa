/** What keeps a database from doing its work, in the kinds that an operator acts on differently. */
export type FaultKind = 'full' | 'read-only' | 'locked' | 'unreachable' | 'broken' | 'unflushed' | 'lost';

/** A sentence for the caller: what is wrong, and that it can be tried again. */
const sentences = {
  full: 'the disk of the database is full: no changes can be stored until the operator frees space',
  'read-only': 'the database is read-only: no changes can be stored until the operator makes it writable',
  locked: 'another program has locked the database: try again in a moment',
  unreachable: 'the database does not answer: try again in a moment',
  broken: 'the storage of the database reports errors: the operator must check it',
  unflushed:
    'the disk of the database failed to flush a change: no more changes are stored until the operator has checked the disk and restarted the service',
  lost: 'the database file was removed or replaced while it was in use: the operator must put it back and start the service again',
} as const satisfies Record<FaultKind, string>;

/** When it is worth another try. A fault that needs an operator takes longer than a transient one. */
const retryAfterS = {
  full: 30,
  'read-only': 30,
  locked: 5,
  unreachable: 5,
  broken: 60,
  unflushed: 60,
  lost: 60,
} as const satisfies Record<FaultKind, number>;

/** The moment in a transaction: until its commit is sent it has surely not happened. */
export type CommitPhase = 'before commit' | 'at commit';

/** The database could not do what it was asked, for a reason that may pass without a change of the request. */
export class DatabaseUnavailable extends Error {
  readonly kind: FaultKind;
  readonly retryAfterS: number;
  /** What the database itself said: for the operator. */
  readonly reason: string;

  constructor(kind: FaultKind, cause: unknown, phase: CommitPhase = 'before commit') {
    // A connection that is lost with the commit in progress leaves its result unknown.
    const isUnsure = (kind === 'unreachable' || kind === 'unflushed') && phase === 'at commit';
    const outcome = isUnsure ? '; the change may have been stored: check before you repeat it' : '';
    super(sentences[kind] + outcome, { cause });
    this.name = 'DatabaseUnavailable';
    this.kind = kind;
    this.retryAfterS = retryAfterS[kind];
    this.reason = cause instanceof Error ? cause.message : String(cause);
  }
}

/** Knows an engine's errors that are no mistake of the request. */
export type FaultOf = (error: unknown) => FaultKind | null;

/** The same error if the request is to blame, or what is wrong with the database. */
export const toDatabaseError = (error: unknown, faultOf: FaultOf, phase: CommitPhase = 'before commit'): unknown => {
  if (error instanceof DatabaseUnavailable) return error;
  const kind = faultOf(error);
  return kind === null ? error : new DatabaseUnavailable(kind, error, phase);
};

/** Whether changes can be stored, as the last attempts showed. */
export class Condition {
  #fault: DatabaseUnavailable | null = null;
  #refused = 0;
  readonly #listeners = new Set<(change: ConditionChange) => void>();

  /** Why the last change could not be stored; null: it could. */
  get fault(): DatabaseUnavailable | null {
    return this.#fault;
  }

  /** Calls `listener` when changes cannot be stored any more, for another reason, or again: not for every one. */
  onChange(listener: (change: ConditionChange) => void): void {
    this.#listeners.add(listener);
  }

  failed(error: unknown): void {
    if (!(error instanceof DatabaseUnavailable)) return;
    const isNew = this.#fault?.kind !== error.kind;
    this.#fault = error;
    this.#refused += 1;
    if (isNew) this.#tell({ fault: error, refused: this.#refused });
  }

  succeeded(): void {
    if (this.#fault === null) return;
    this.#fault = null;
    this.#tell({ fault: null, refused: this.#refused });
    this.#refused = 0;
  }

  #tell(change: ConditionChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

export interface ConditionChange {
  /** Null: changes are stored again. */
  readonly fault: DatabaseUnavailable | null;
  /** How many attempts to change something failed so far. */
  readonly refused: number;
}
