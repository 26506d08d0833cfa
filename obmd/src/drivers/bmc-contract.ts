import type { Duplex } from 'node:stream';
import type { Outbound } from '@corral/base/http/outbound';
import type { TSchema } from '@sinclair/typebox';

/** What went wrong with a BMC, as far as the way out differs. */
export type BmcFault =
  /** Nothing answers, or not in time. */
  | 'unreachable'
  /** It does not accept the user name and password it was registered with. */
  | 'credentials'
  /** It cannot do this at all. */
  | 'unsupported'
  /** It answered, and failed. */
  | 'failed';

/**
 * A BMC did not do what it was asked. The message is one sentence for the tenant: it names neither the BMC's
 * address nor a secret, and says what to do. What the device itself said is for the log, as the cause.
 */
export class BmcError extends Error {
  readonly fault: BmcFault;

  constructor(fault: BmcFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BmcError';
    this.fault = fault;
  }
}

/** What became of a boot device that was wanted for one boot. */
export interface NextBoot {
  /** False: the BMC cannot, and boots from it until it is set to something else. */
  readonly isOnce: boolean;
  /** What was set to last, which the BMC forgot over it: it has to be set again after that boot. null: nothing was. */
  readonly forgotten: string | null;
}

/** What answered at the address of a BMC, in words for an operator. They may be the device's own. */
export interface BmcIdentity {
  /** What it says it is: `IPMI 2.0, Dell Inc., firmware 4.40`. */
  readonly answered: string;
  /** What the registered user may do there, as far as the device shows it. */
  readonly privileges: string;
}

/** One node's BMC, from its `info`. Nothing is contacted before the first call. */
export interface Bmc {
  /** Logs in and says what is there; changes nothing. */
  identify(signal: AbortSignal): Promise<BmcIdentity>;
  /** `on` or `off`, where the kind has no other words. */
  powerStatus(signal: AbortSignal): Promise<string>;
  /** On when it is on already is no error. */
  powerOn(signal: AbortSignal): Promise<void>;
  /** At once, without asking the operating system. Off when it is off already is no error. */
  powerOff(signal: AbortSignal): Promise<void>;
  /** Off and on again, at once. A machine that is off is turned on. */
  powerCycle(signal: AbortSignal): Promise<void>;
  /** Asks the operating system to shut down, and returns as soon as it is asked. */
  askToShutDown?(signal: AbortSignal): Promise<void>;
  /** What `setBootDevice` takes. */
  readonly bootDevices: readonly string[];
  /** From the next boot on, until it is set to something else. */
  setBootDevice(device: string, signal: AbortSignal): Promise<void>;
  /** For the next boot, and no other. */
  setNextBoot?(device: string, signal: AbortSignal): Promise<NextBoot>;
  /** Is the boot still to come that `setNextBoot` was for? Only where something can be `forgotten`. */
  isNextBootSet?(signal: AbortSignal): Promise<boolean>;
  /**
   * Opens the serial console: what the machine says is read, what is written is typed. The holder (a
   * process, a session on the BMC) is let go of when the stream is destroyed, and is gone when it has closed.
   * A console that somebody left open on the BMC is taken from them.
   */
  openConsole?(signal: AbortSignal): Promise<Duplex>;
  /** Lets go of what is kept between calls. */
  close?(): Promise<void>;
}

/** The right to have the BMCs, which one process at a time has. */
export interface BmcPermit {
  /**
   * Throws if the right may have passed to another process meanwhile: this one may have slept. A driver calls it right
   * before anything is sent.
   */
  check(): void;
}

/** A kind of BMC. Presence of an optional member of what it makes is the capability. */
export interface BmcDriver {
  /** The fields of `info`. */
  readonly info: TSchema;
  /** Those of them that are never shown. */
  readonly secrets: readonly string[];
  /** The host that is connected to for a BMC of this `info`, which has passed the schema; null: none. */
  readonly hostOf?: (info: Readonly<Record<string, unknown>>) => string | null;
  /** Where its BMC is reached, after names are resolved: two nodes with a place in common would be one machine. */
  readonly placesOf?: (info: Readonly<Record<string, unknown>>) => Promise<readonly string[]>;
  /** `info` has passed the schema. `outbound` says where connections may go. */
  readonly bmcOf: (info: Readonly<Record<string, unknown>>, outbound: Outbound, permit?: BmcPermit) => Bmc;
}
