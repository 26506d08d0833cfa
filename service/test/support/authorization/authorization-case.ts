import type { CallerName } from './authorization-callers.ts';
import type { Rig } from './authorization-rig.ts';

/** The parts of one call. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Who is let in on one call, tried on fresh objects of project red. */
export interface Case {
  /** What makes this case differ from the route's others. */
  readonly when?: string;
  readonly given: (rig: Rig) => Promise<Call> | Call;
  readonly letIn: readonly CallerName[];
  /** What those who are let in get, where it is not the route's own status. */
  readonly status?: number;
}

/** The cases of calls, by their names. */
export type Cases = Readonly<Record<string, readonly Case[]>>;

export const admin: readonly CallerName[] = ['admin'];
export const project: readonly CallerName[] = ['member', 'admin'];
export const users: readonly CallerName[] = ['outsider', 'member', 'other', 'admin'];
export const everyone: readonly CallerName[] = ['anonymous', ...users];

export const nothing = (): Call => ({});
export const named = (params: Readonly<Record<string, string>>, body?: unknown): Call => ({ params, body });
