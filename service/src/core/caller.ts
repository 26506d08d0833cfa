import type { Tx } from '../db/service-database.ts';
import { unauthorized } from './corral-error.ts';

/** Who is calling, as the authentication backend found out. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'user';
      /** The name that events record. */
      readonly name: string;
      readonly admin: boolean;
      /** Labels of the projects the caller may act for. */
      readonly projects: ReadonlySet<string>;
      /** The account that sessions and tokens belong to. Absent: the caller's access cannot be checked later. */
      readonly account?: Account;
      /** What was made here that the caller came with. Absent: credentials of the backend itself. */
      readonly by?:
        | { readonly kind: 'session'; readonly id: number }
        /** `isLimited`: it is for one project, and does not stand for all of the person. */
        | { readonly kind: 'token'; readonly id: number; readonly isLimited?: true };
      /** When the credentials of the backend end, in milliseconds. Absent: they do not, or nobody knows. */
      readonly until?: number;
      /** May only look. Absent: may also change things. */
      readonly readOnly?: true;
      /** Absent: the backend keeps its people elsewhere, and what it said counts until `until`. */
      readonly recheck?: Recheck;
    };

/**
 * The same caller with the rights that the database has for them now; throws AuthorizationError if the credentials do
 * not count any more. `lock`: nobody can take these rights away before the transaction has ended.
 */
export type Recheck = (tx: Tx, use: 'lock' | 'read') => Promise<Caller>;

/** A user of this database, or a person authenticated by another backend. */
export type Account =
  | { readonly kind: 'user'; readonly id: number }
  /** `vouchedAt`: when the backend said what the person may do, in milliseconds; absent: just now. */
  | { readonly kind: 'identity'; readonly backend: string; readonly subject: string; readonly vouchedAt?: number };

export const anonymous: Caller = { kind: 'anonymous' };

/** The service itself, where it acts on its own (first start, the engine). */
export const systemCaller: Caller = { kind: 'user', name: 'corral', admin: true, projects: new Set() };

export const isAdmin = (caller: Caller): boolean => caller.kind === 'user' && caller.admin;

/** Has the caller access to this project? Administrators have access to all of them. */
export const mayActFor = (caller: Caller, project: string): boolean =>
  caller.kind === 'user' && (caller.admin || caller.projects.has(project));

/** The caller's own projects, for a list in SQL, none of which may be empty; no project has the label ''. */
export const projectLabels = (caller: Caller): readonly string[] => [
  '',
  ...(caller.kind === 'user' ? caller.projects : []),
];

export const nameOf = (caller: Caller): string => (caller.kind === 'user' ? caller.name : 'anonymous');

/**
 * All that a caller may do, in one string: callers with the same string may get the same answers. By rights and
 * not by name, so that what a member saw is not shown again to someone who is a member no more.
 */
export const permissionsKey = (caller: Caller): string => {
  if (caller.kind === 'anonymous') return 'anonymous';
  return caller.admin ? 'admin' : ['user', ...[...caller.projects].sort()].join('\0');
};

export const requireUser = (caller: Caller): void => {
  if (caller.kind === 'anonymous')
    throw unauthorized(
      'this call needs credentials; the WWW-Authenticate header of this response lists the accepted schemes',
    );
};

export const requireAdmin = (caller: Caller): void => {
  requireUser(caller);
  if (!isAdmin(caller))
    throw unauthorized(`this call needs administrative access, which ${nameOf(caller)} does not have`);
};

/** Requires that the caller came with credentials that may change things. */
export const requireChanges = (caller: Caller): void => {
  if (caller.kind === 'user' && caller.readOnly)
    throw unauthorized('this token is read-only; create one without read_only for this call');
};

/** Requires that the caller did not authenticate with a token, with which a thief could keep access. */
export const requireNoToken = (caller: Caller, what: string): void => {
  if (caller.kind === 'user' && caller.by?.kind === 'token')
    throw unauthorized(`an API token may not ${what}; sign in, or send user name and password`);
};

/** Requires access to a project; where there is none (a free node), only an administrator will do. */
export const requireProject = (caller: Caller, project: string | null): void => {
  if (project === null) return requireAdmin(caller);
  requireUser(caller);
  // Whose it is, is not for others to know: the project is not named.
  if (!mayActFor(caller, project))
    throw unauthorized(`this call needs access to the project, which ${nameOf(caller)} does not have`);
};
