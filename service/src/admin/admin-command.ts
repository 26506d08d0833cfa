import type { Readable } from 'node:stream';
import type { ParseArgsConfig } from 'node:util';
import type { Config } from '../config/service-config.ts';

/** Where a command writes: results, and how far it is. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Somebody watches, so that a line of progress can be written over. */
  readonly isLive: boolean;
}

/** What is typed, or piped in. */
export type Input = Readable & { readonly isTTY?: boolean };

/** What a command is run with. */
export interface Invocation {
  /** Read when it is asked for: help needs none. */
  readonly config: () => Config;
  readonly terminal: Terminal;
  readonly input: Input;
  /** The options that were given; those that take nothing are `true`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly operands: readonly string[];
}

/** One command of corral-admin. */
export interface Command {
  /** What comes after its name. */
  readonly usage: string;
  /** One line for the list. */
  readonly summary: string;
  /** Everything else that `help COMMAND` tells. */
  readonly help: string;
  /** How it is typed. */
  readonly example?: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** The most operands it takes; where some have to be given, `needed` names them. */
  readonly operands: number;
  readonly needed?: readonly string[];
  /** Gives the exit code. */
  readonly run: (invocation: Invocation) => Promise<number>;
}
