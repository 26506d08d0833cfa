import type { FaultKind } from './database-fault.ts';

/** By SQLSTATE, of which a prefix is a class: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const kinds: readonly (readonly [string, FaultKind])[] = [
  ['25006', 'read-only'],
  ['53100', 'full'],
  // Out of memory, out of connections.
  ['53', 'unreachable'],
  ['08', 'unreachable'],
  // Shut down, starting up, dropped, or the server ended the session because it idled in a transaction.
  ['57P', 'unreachable'],
  ['25P03', 'unreachable'],
  ['25P04', 'unreachable'],
  // The account or the database is gone, or its password is another one.
  ['28', 'unreachable'],
  ['3D000', 'unreachable'],
  // A statement took longer than the server lets it: it waits for a lock, or the server is overloaded.
  ['57014', 'unreachable'],
  ['55P03', 'locked'],
  ['58', 'broken'],
  ['XX001', 'broken'],
  ['XX002', 'broken'],
];

/** From the socket, before or under the server's own protocol. */
const ofTheSocket = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
];

/** Of the client library, which has no codes for them. */
const ofTheClient =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after)/;

/** What is wrong with the server or the way to it; null: the statement is to blame. */
export const postgresFaultOf = (error: unknown): FaultKind | null => {
  const { code, message, errors } = error as { code?: unknown; message?: unknown; errors?: unknown };
  // Of a host with several addresses: one error for each.
  if (Array.isArray(errors) && errors.length > 0) return postgresFaultOf(errors[0]);
  if (typeof code === 'string') {
    if (ofTheSocket.includes(code)) return 'unreachable';
    return kinds.find(([prefix]) => code.startsWith(prefix))?.[1] ?? null;
  }
  return typeof message === 'string' && ofTheClient.test(message) ? 'unreachable' : null;
};
