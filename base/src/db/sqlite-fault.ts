import type { FaultKind } from './database-fault.ts';

/** The primary part of a code such as SQLITE_IOERR_FSYNC. */
const kinds: readonly (readonly [string, FaultKind])[] = [
  ['SQLITE_FULL', 'full'],
  ['SQLITE_READONLY', 'read-only'],
  ['SQLITE_BUSY', 'locked'],
  ['SQLITE_LOCKED', 'locked'],
  ['SQLITE_PROTOCOL', 'locked'],
  ['SQLITE_IOERR', 'broken'],
  ['SQLITE_CANTOPEN', 'broken'],
  ['SQLITE_PERM', 'broken'],
  ['SQLITE_CORRUPT', 'broken'],
  ['SQLITE_NOTADB', 'broken'],
];

const codeOf = (error: unknown): string => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
};

/** What is wrong with the file, its disk or its lock; null: the statement is to blame. */
export const sqliteFaultOf = (error: unknown): FaultKind | null => {
  const code = codeOf(error);
  return kinds.find(([prefix]) => code === prefix || code.startsWith(`${prefix}_`))?.[1] ?? null;
};

/** The file is not what SQLite wrote. */
export const isDamaged = (error: unknown): boolean => /^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/.test(codeOf(error));

/** Another connection has what is wanted, and will let go of it. */
export const isBusy = (error: unknown): boolean => sqliteFaultOf(error) === 'locked';
