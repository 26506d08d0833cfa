import type { TSchema } from '@sinclair/typebox';
import type { Neighbour, PortConfig, SwitchDriver } from '../switch-contract.ts';

/** How a device talks: what its prompts and its errors look like, and what to say to its questions. */
export interface CliSyntax {
  /** The whole last line when it waits for a command; the first group is the device's own name. */
  readonly prompt: RegExp;
  /** A line of an answer that looks like this says no. */
  readonly errors: readonly RegExp[];
  /** What it may say to a command that it follows; log messages are known without being named here. */
  readonly remarks?: readonly RegExp[];
  /** Questions in the middle of an answer, "--More--" above all, and the key that goes on. */
  readonly questions: readonly { readonly asked: RegExp; readonly key: string }[];
  /** Sent once after the login: no paging, no line wrapping. A device that does not know one of them goes on. */
  readonly setup: readonly string[];
  /** Devices that let everybody in over SSH and ask who it is afterwards: what their questions look like. */
  readonly login?: { readonly user: RegExp; readonly password: RegExp };
  /** How the privileged mode is entered, if the first prompt looks like this. */
  readonly enable?: { readonly from: RegExp; readonly command: string; readonly password: RegExp };
}

/** A command; `attempt` is one that some models do not know and do not need. */
export type Line = string | { readonly attempt: string };

/** A port as its device shows it. */
export interface ShownPort extends PortConfig {
  /** Its own block says that it is shut: whatever else is on it, nothing passes. */
  readonly isShut?: true;
  /** What is on the port, not understood, and not taken away by `port`: with it the port is not opened. */
  readonly foreign?: string;
  /** Tagged VLANs that a shut port would carry if it were opened, where they have to be taken away by name. */
  readonly latent?: readonly number[];
}

/** One port on its way from what it carries to what it shall carry. */
export interface PortChange {
  readonly wanted: PortConfig;
  readonly was: ShownPort;
  /** The VLAN that nobody uses, where the switch has one. */
  readonly deadVlan: number | null;
}

/** What the prompts of the modes look like: with any other prompt nothing more is sent. */
interface Modes {
  readonly exec: RegExp;
  readonly config: RegExp;
  readonly vlan: RegExp;
  readonly port: RegExp;
}

/** How a device shows the addresses that it has learned. */
export interface MacTable {
  /** Ways to ask, the usual one first: one that the device does not know is followed by the next. */
  readonly ask: readonly string[];
  /** Ports as the device writes them. Throws `UnusableAnswer` where something else stands in it. */
  parse(answer: string): readonly Neighbour[];
}

/** A command-line switch as data: everything that one family says differently from another. */
export interface Dialect extends Pick<SwitchDriver, 'capabilities' | 'hasLegacyType' | 'portName' | 'wire' | 'refuse'> {
  /** The fields of switch_register: `passwordLogin` or `passwordOrKeyLogin`, and `dummyVlan` where it is needed. */
  readonly config: TSchema;
  readonly syntax: CliSyntax;
  /** Into the mode in which everything is changed, and out of it from wherever it stands. */
  readonly enter: readonly string[];
  readonly leave: readonly string[];
  /** The dead VLAN works without being made on this device, and is deader so. */
  readonly leavesDeadVlan?: true;
  /** Makes VLANs exist, those that do already too. Sent for all at once; if that is refused, for each alone. */
  vlans(ids: readonly number[]): readonly string[];
  /** Brings one port to its wanted state; the first line selects the port, where there is such a line. */
  port(change: PortChange): readonly Line[];
  /** Where a device has modes. */
  readonly modes?: Modes | undefined;
  readonly read: {
    /** What shows one port. An error as the answer to the first means that the device does not have it. */
    one(port: string): readonly string[];
    /** What shows all of them. */
    readonly all: readonly string[];
    /** What the answers say, in the order of the commands, about every port in them. */
    parse(answers: readonly string[], deadVlan: number | null): readonly ShownPort[];
  };
  readonly neighbours?: MacTable;
  /** Running configuration to startup configuration. */
  readonly save?: readonly string[];
}
