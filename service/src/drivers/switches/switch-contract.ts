import type { Outbound } from '@corral/base/http/outbound';
import type { TSchema } from '@sinclair/typebox';

/**
 * The whole wanted, or read, state of one port: its untagged VLAN and its tagged ones, in ascending order. Read,
 * it says what the port would pass now: a port that is shut passes nothing, one that passes everything has all.
 */
export interface PortConfig {
  readonly port: string;
  readonly native: number | null;
  readonly tagged: readonly number[];
  /**
   * Read: what stands on the port that the driver does not understand, in the device's own words, for the operator.
   * Such a port may pass anything, so the driver reports every VLAN with it.
   */
  readonly unclear?: string;
}

/** An address that a device has learned from frames: who has it is behind that port. */
export interface Neighbour {
  /** As `portName` names it. What is no such port, an aggregate or a peer link, as the device writes it. */
  readonly port: string;
  /** In lower case, with colons. */
  readonly mac: string;
  /** null: the device does not say. */
  readonly vlan: number | null;
}

/** What became of one port in a pass. */
export type PortOutcome =
  | { readonly port: string; readonly applied: true }
  | { readonly port: string; readonly applied: false; readonly reason: string };

/** What became of a port; `reason`: why it is not as wanted, or null if it is. */
export const outcomeOf = (port: string, reason: string | null): PortOutcome =>
  reason === null ? { port, applied: true } : { port, applied: false, reason };

/** Why something cannot be done, in a sentence. */
export interface Refusal {
  readonly refused: string;
}

/** What a driver can do beyond the contract, as existing clients know it. */
export type Capability = 'nativeless-trunk-mode';

/** What a session is held to. The engine always gives both. */
export interface SessionLimits {
  /** Without it the session has the switch to itself. */
  readonly permit?: Permit | undefined;
  /** Where connections may go; without it, to wherever the switch is. */
  readonly outbound?: Outbound | undefined;
}

/** One switch as passed to a driver: its label here, and its fields from switch_register. */
export interface SwitchTarget extends SessionLimits {
  readonly label: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/**
 * A session's right to write. Only one session at a time has it, over all processes: the one with the greatest number.
 */
export interface Permit {
  /** Greater than that of every earlier session with the switch, whichever process opened it. */
  readonly number: number;
  /** Whose sessions are counted: another installation, with its own ports on the same switch, is counted separately. */
  readonly installation: string;
  /**
   * Throws if the right may have passed to another process meanwhile: this one may have slept. A driver calls it right
   * before anything is sent.
   */
  readonly check: () => void;
}

/** The switch has seen a session with a greater number: ours is old, or the database was restored from a backup. */
export class OldSession extends Error {
  /** The greatest number that the switch has seen. */
  readonly seen: number;

  constructor(own: number, seen: number) {
    super(`the switch has seen session ${seen}, which is later than ours (${own})`);
    this.name = 'OldSession';
    this.seen = seen;
  }
}

/** One change to a port, before it is queued. */
export type Change =
  | { readonly kind: 'connect'; readonly channel: string; readonly vlan: number }
  | { readonly kind: 'detach'; readonly channel: string; readonly vlan: number };

/** What is known of a kind of switch without talking to one. */
export interface SwitchRules {
  /** The fields of switch_register beside `type`. */
  readonly config: TSchema;
  readonly capabilities: readonly Capability[];
  /** Existing clients know this driver and send its type in the long form. */
  readonly hasLegacyType?: true;
  /** The normalised port name, the same for every spelling that the device takes for it, or why it can never be one. */
  portName(name: string): string | Refusal;
  /**
   * The wire behind a normalised port name. A device may have several names for one socket, of which one is in use at a
   * time: by the transceiver that is plugged in, or by whether the socket is split into lanes. A wire is a path, in
   * which a lane is below its socket: `0/0/48/1` is a part of `0/0/48`. Not there: every name is a wire of its own.
   */
  wire?(port: string): string;
  /** Why this change cannot be made to a port in this state; null if it can. */
  refuse?(port: Omit<PortConfig, 'port'>, change: Change): Refusal | null;
  /**
   * The device refuses what an earlier session sent, however late that arrives, as soon as a later session is open.
   * Without this, ports of a session that broke off stay in doubt for as long as something of it can arrive.
   */
  readonly refusesLateWrites?: true;
  /**
   * The hosts that `open` connects to, as the fields name them: those that can never be permitted are not registered.
   */
  hosts?(config: Readonly<Record<string, unknown>>): readonly string[];
}

/** A kind of switch. States are set as a whole and idempotently; drivers never get steps. */
export interface SwitchDriver extends SwitchRules {
  /**
   * Where a switch with these fields is reached, after names are resolved: two with a place in common are one device.
   * Not there: nobody can tell.
   */
  places?(config: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
  open(target: SwitchTarget, signal: AbortSignal): Promise<SwitchSession>;
  /**
   * As `open`, with a session that changes nothing: a message that would change the switch is given to `held` instead
   * of being sent, and taken for done. Questions are sent. Not there: the driver cannot show what it would send.
   */
  openDry?(target: SwitchTarget, held: (message: string) => void, signal: AbortSignal): Promise<SwitchSession>;
}

/** An open line to one switch. Anything thrown here is a fault that may pass; a refusal is an outcome. */
export interface SwitchSession {
  apply(ports: readonly PortConfig[], signal: AbortSignal): Promise<readonly PortOutcome[]>;
  /** A port that the device does not have is left out of the answer. */
  read(ports: readonly string[], signal: AbortSignal): Promise<readonly PortConfig[]>;
  /** Every port of the device, those that nobody registered too, named as `portName` would name them. */
  readAll?(signal: AbortSignal): Promise<readonly PortConfig[]>;
  /**
   * Waits until nothing passes any more but what ports show, also after changes by others: there where a device
   * goes on forwarding for a while after it shows a change. `apply` waits by itself.
   */
  drained?(signal: AbortSignal): Promise<void>;
  /**
   * What the device says it is, the same by whatever way it is reached and different for every other; null: nothing.
   */
  identity?(signal: AbortSignal): Promise<string | null>;
  /** The model and the software, as the device tells them, in one line; null: it does not. */
  about?(signal: AbortSignal): Promise<string | null>;
  /**
   * What the login lacks to change ports, one sentence each. It is found out without changing anything. Not there: the
   * device cannot be asked.
   */
  lacks?(signal: AbortSignal): Promise<readonly string[]>;
  /**
   * The addresses that the device has learned and still remembers, those that somebody configured left out. Refused:
   * this device cannot be asked, and why. What is not understood is thrown: an address that is left out counts as one
   * that nobody saw.
   */
  neighbours?(signal: AbortSignal): Promise<readonly Neighbour[] | Refusal>;
  /** Running configuration to startup configuration. */
  save?(signal: AbortSignal): Promise<void>;
  /** While a call is under way, or after one was aborted: by a reset, so that nothing of it is sent any more. */
  close(): Promise<void>;
}

/** Do two wires have something in common? */
export const isSameWire = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);

/** The normalised name of a port, or null where it can never be one. */
export const nameOrNull = (answer: string | Refusal): string | null => (typeof answer === 'string' ? answer : null);

export const isRefusal = (answer: unknown): answer is Refusal =>
  typeof answer === 'object' && answer !== null && 'refused' in answer;
