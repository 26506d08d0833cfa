import type { ChangeListener } from '@corral/base/db/change-notifier';
import type { WriteOptions } from '@corral/base/db/database';
import type { Topic } from '../db/topics.ts';
import { verdictOf } from '../db/constraints.ts';
import type { Db, Tx } from '../db/service-database.ts';
import { type ServiceLeaseWatch, leaseWatchOf } from '../db/service-leases.ts';
import type { Caller } from './caller.ts';
import type { DeviceCall, DeviceUse, Devices } from './device-calls.ts';
import { CorralError } from './corral-error.ts';
import { type EventDraft, writeEvents } from './events.ts';
import type { Request } from './request.ts';
import { currentCaller } from './current-rights.ts';
import type { RequestDependencies, Dependencies, TransactionDependencies } from './dependencies.ts';

/** What an operation holds while it only reads. */
export interface ReadOp {
  readonly caller: Caller;
  readonly dependencies: TransactionDependencies;
  readonly tx: Tx;
  /** The database's clock. */
  readonly now: Db['now'];
}

/** What an operation holds while it changes something: the same, and a way to say what it did. */
export interface WriteOp extends ReadOp {
  /** Writes down what happened, in this transaction. */
  record(event: EventDraft): void;
  /** Notifies after the commit. A notification of `actions` reaches a switch. */
  notify(topic: Topic): void;
  /** Counts a change of a switch that is queued here, for the project that it is for. Throws if there are too many. */
  countChange(project: string | null): void;
}

/** The only way from an operation to OBM daemons and the hypervisor: counted and limited for each project. */
interface DeviceAccess {
  /** Changes something, or opens a line. */
  change<T>(call: DeviceCall, work: (devices: Devices) => Promise<T>): Promise<T>;
  /** Asks for something; those who ask the same question at once share the answer. */
  query<T>(question: string, call: DeviceCall, ask: (devices: Devices) => Promise<T>): Promise<T>;
}

/**
 * Opens operations: each is one transaction. An operation that has to talk to a device in between takes
 * this instead of an op: it checks in one transaction, talks, then checks again and records in another.
 */
export interface RequestContext {
  readonly caller: Caller;
  readonly dependencies: RequestDependencies;
  readonly devices: DeviceAccess;
  read<T>(work: (op: ReadOp) => Promise<T>): Promise<T>;
  /** One hot read that is a single statement. */
  readonly query: Db['query'];
  /** Two of them, asked together. */
  readonly queryPair: Db['queryPair'];
  /** The caller's rights are read in the same transaction: what was taken away before it commits does not count. */
  write<T>(work: (op: WriteOp) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Begins to listen for what other operations, of all processes, notify of after their commits. */
  listen(...topics: readonly Topic[]): ChangeListener;
  readonly leases: ServiceLeaseWatch;
  /** A write that is made even if the caller's rights have ended: what a device did, or a lease that is given back. */
  writeOutcome<T>(work: (op: WriteOp) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Throws AuthorizationError if the caller's rights have ended: asked before an answer that took long is shown. */
  requireRights(): Promise<void>;
  /** The same context for someone else: who signs in is nobody until then. */
  as(caller: Caller): RequestContext;
}

export const createRequestContext = (db: Db, dependencies: Dependencies, request: Request): RequestContext => ({
  caller: request.caller,
  dependencies,
  devices: {
    change: async (call, work) => {
      requireDeclared(request, 'changes');
      return dependencies.devices.change(request.caller, call, work);
    },
    query: async (question, call, ask) => {
      requireDeclared(request, 'asks');
      return dependencies.devices.query(request.caller, question, call, ask);
    },
  },
  query: db.query,
  queryPair: db.queryPair,
  listen: (...topics) => db.changes.listen(...topics),
  leases: leaseWatchOf(db),
  read: (work) =>
    request.rights?.effect === 'changes'
      ? db.read(async (tx) => work({ caller: await callerIn(tx, request, 'read'), dependencies, tx, now: db.now }))
      : db.read((tx) => work({ caller: request.caller, dependencies, tx, now: db.now })),
  write: (work, options) => runWrite(db, dependencies, request, work, options),
  writeOutcome: (work, options) =>
    runWrite(db, dependencies, { caller: request.caller, requestId: request.requestId }, work, options),
  requireRights: async () => {
    await db.read((tx) => callerIn(tx, request, 'read'));
  },
  as: (caller) => createRequestContext(db, dependencies, { ...request, caller }),
});

/** A route that reaches devices and does not say so would be limited and tested by nobody. */
const requireDeclared = ({ rights }: Request, use: DeviceUse): void => {
  if (rights === undefined || rights.devices === 'changes' || rights.devices === use) return;
  throw new Error(`a call ${use === 'asks' ? 'asks' : 'changes'} devices, and its route does not declare it`);
};

const callerIn = async (tx: Tx, { caller, rights }: Request, use: 'lock' | 'read'): Promise<Caller> => {
  if (rights === undefined) return caller;
  const current = await currentCaller(tx, caller, use);
  rights.admit(current);
  return current;
};

const runWrite = async <T>(
  db: Db,
  dependencies: Dependencies,
  request: Request,
  work: (op: WriteOp) => Promise<T>,
  options?: WriteOptions,
): Promise<T> => {
  let topics = new Set<Topic>();
  // A transaction may run more than once, and is one change.
  let isCounted = false;
  const attempt = async (tx: Tx): Promise<T> => {
    const events: EventDraft[] = [];
    topics = new Set();
    const caller = await callerIn(tx, request, 'lock');
    const result = await work({
      caller,
      dependencies,
      tx,
      now: db.now,
      record: (event) => events.push(event),
      notify: (topic) => {
        if (topic === 'actions') requireDeclared(request, 'asks');
        topics.add(topic);
      },
      countChange: (project) => {
        requireDeclared(request, 'changes');
        if (!isCounted) dependencies.devices.count(caller, project);
        isCounted = true;
      },
    });
    await db.announce(tx, [...topics]);
    if (events.length > 0) {
      topics.add('events');
      await writeEvents(tx, request, events);
    }
    return result;
  };
  try {
    const result = await db.write(attempt, options);
    for (const topic of topics) db.changes.notify(topic);
    // Streams look by themselves now and then, so this need not be part of the transaction.
    if (topics.has('events')) db.announceSoon('events');
    return result;
  } catch (error) {
    const verdict = verdictOf(error);
    if (verdict) throw new CorralError(verdict.type, verdict.message, { cause: error });
    throw error;
  }
};
