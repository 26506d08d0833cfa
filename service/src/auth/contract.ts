import type { Caller } from '../core/caller.ts';

/** The part of a request that a backend may look at. */
export interface Credentials {
  header(name: string): string | undefined;
}

/** Finds out who is calling. Backends know nothing of what the caller may do. */
export interface AuthBackend {
  readonly name: string;
  /** What a 401 asks for, in `WWW-Authenticate`. */
  readonly challenge: string;
  /** The caller; anonymous without credentials; throws AuthorizationError for wrong ones. */
  authenticate(credentials: Credentials): Caller | Promise<Caller>;
}
