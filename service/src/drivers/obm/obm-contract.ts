import type { Readable } from 'node:stream';

/** A node's address under its OBM daemon's API, and the daemon's admin token. */
export interface ObmAdmin {
  readonly uri: string;
  readonly adminToken: string;
  /** It is the daemon inside this service, in one of its processes. */
  readonly isInside?: true;
}

/** The same address with the token that a node's current project holds. */
export interface ObmAccess {
  readonly uri: string;
  readonly token: string;
  readonly isInside?: true;
}

/** What the daemon made of a call. Unreachable or failing daemons are thrown as OBMError. */
export type ObmAnswer<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** The daemon does not know our token (any more). */
  | { readonly kind: 'token-refused' }
  /** The daemon says the request itself is wrong, in its own words. */
  | { readonly kind: 'rejected'; readonly reason: string };

/**
 * What became of a boot device for one boot. `lasting`: the daemon or the BMC cannot do it for one boot, so it stays
 * until another is set. `unknown`: there is no such boot device, and nothing was changed.
 */
export type NextBoot = 'once' | 'lasting' | 'unknown';

/** The right to make a call: one process at a time has it, or the caller's rights were read a moment ago. */
export interface CallPermit {
  /** Throws if the right may have ended meanwhile: this process may have slept. Asked right before a request is sent. */
  readonly check: () => void;
  /** Aborts when it has: the call is given up. */
  readonly lost: AbortSignal;
}

/** How a console is wanted: to watch, or to type as well. */
export type ConsoleUse = 'read-only' | 'read-write';

/** An open console. */
export interface ConsoleConnection {
  readonly bytes: Readable;
  /** null: this daemon takes no input. */
  readonly write: ((bytes: Buffer) => void) | null;
  /** Why the daemon ended it, once it has; null if it did not say, or said so in the bytes. */
  readonly closeReason: () => string | null;
}

/** A BMC as a daemon has it registered. What it shows has no secrets. */
export interface BmcRegistration {
  readonly type: string;
  readonly info: Readonly<Record<string, unknown>>;
}

/** What a daemon found at the address of a BMC. */
export interface BmcTest {
  readonly answered: string;
  readonly privileges: string;
  readonly seconds: number;
}

/** The OBM daemon's API, carried over HTTP. */
export interface ObmClient {
  /** Asks for a new token; the one before it is void from then on. */
  createToken(node: ObmAdmin, permit: CallPermit): Promise<string>;
  /** Voids the current token. No token is no error. */
  destroyToken(node: ObmAdmin, permit: CallPermit): Promise<void>;
  /** Registers the BMC of the node, also again: then the node's token is void. */
  registerBmc(node: ObmAdmin, bmc: BmcRegistration, permit: CallPermit): Promise<void>;
  showBmc(node: ObmAdmin): Promise<BmcRegistration>;
  /** Every BMC of a daemon, by the name it has there; `daemon` is its own address. null: this one has no such list. */
  listBmcs(daemon: ObmAdmin): Promise<ReadonlyMap<string, BmcRegistration> | null>;
  deleteBmc(node: ObmAdmin, permit: CallPermit): Promise<void>;
  /** Logs in to the BMC. */
  testBmc(node: ObmAdmin, permit: CallPermit): Promise<BmcTest>;
  powerOn(node: ObmAccess, permit: CallPermit): Promise<ObmAnswer<null>>;
  powerOff(node: ObmAccess, permit: CallPermit): Promise<ObmAnswer<null>>;
  powerCycle(node: ObmAccess, force: boolean, permit: CallPermit): Promise<ObmAnswer<null>>;
  powerStatus(node: ObmAccess): Promise<ObmAnswer<string>>;
  setBootDevice(node: ObmAccess, device: string, permit: CallPermit): Promise<ObmAnswer<null>>;
  setNextBoot(node: ObmAccess, device: string, permit: CallPermit): Promise<ObmAnswer<NextBoot>>;
  /** The serial console, until either side ends it. */
  console(
    node: ObmAccess,
    use: ConsoleUse,
    signal: AbortSignal,
    permit: CallPermit,
  ): Promise<ObmAnswer<ConsoleConnection>>;
}
