import type { Readable } from 'node:stream';

/** A node's address under its OBM daemon's API, and the daemon's admin token. */
export interface ObmAdmin {
  readonly uri: string;
  readonly adminToken: string;
}

/** The same address with the token that a node's current project holds. */
export interface ObmAccess {
  readonly uri: string;
  readonly token: string;
}

/** What the daemon made of a call. Unreachable or failing daemons are thrown as OBMError. */
export type ObmAnswer<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** The daemon does not know our token (any more). */
  | { readonly kind: 'token-refused' }
  /** The daemon says the request itself is wrong, in its own words. */
  | { readonly kind: 'rejected'; readonly reason: string };

/** The OBM daemon's API, carried over HTTP. */
export interface ObmClient {
  /** Asks for a new token; the one before it is void from then on. */
  createToken(node: ObmAdmin): Promise<string>;
  /** Voids the current token. No token is no error. */
  destroyToken(node: ObmAdmin): Promise<void>;
  powerOn(node: ObmAccess): Promise<ObmAnswer<null>>;
  powerOff(node: ObmAccess): Promise<ObmAnswer<null>>;
  powerCycle(node: ObmAccess, force: boolean): Promise<ObmAnswer<null>>;
  powerStatus(node: ObmAccess): Promise<ObmAnswer<string>>;
  setBootDevice(node: ObmAccess, device: string): Promise<ObmAnswer<null>>;
  /** The serial console as bytes, until either side ends it. */
  console(node: ObmAccess, signal: AbortSignal): Promise<ObmAnswer<Readable>>;
}
