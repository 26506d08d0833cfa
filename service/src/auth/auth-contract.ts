import type { Caller } from '../core/caller.ts';

/** The part of a request that a backend may look at. */
export interface Credentials {
  header(name: string): string | undefined;
  readonly method: string;
  /** Where the request comes from: behind a trusted proxy, what the proxy says. */
  readonly address: string;
  /** The origin that pages of this service have, as the client sees it: `https://corral.example.org`. */
  readonly origin: string;
  /** Nobody did anything just now: it is the service that wants to know whether the caller may still stay. */
  readonly isAskedAgain?: true | undefined;
}

/** Finds out who is calling. Backends know nothing of what the caller may do. */
export interface AuthBackend {
  readonly name: string;
  /** What a 401 asks for, in `WWW-Authenticate`; empty: nobody is to be asked for it. */
  readonly challenge: string;
  /** The caller; null where there are no credentials of this backend's kind; throws AuthorizationError for wrong ones. */
  authenticate(credentials: Credentials): Caller | null | Promise<Caller | null>;
}
