import type { Corral, Credentials } from '../index.ts';
import type { Terminal } from './terminal-input.ts';
import type { Output } from './output.ts';
import type { Environment } from './profiles.ts';

/** What a word of a command line stands for, so that the shell can complete it and help can name it. */
export type Kind =
  | 'node'
  | 'free-node'
  | 'nic'
  | 'network'
  | 'project'
  | 'headnode'
  | 'hnic'
  | 'switch'
  | 'port'
  | 'user'
  | 'image'
  | 'token'
  | 'subscription'
  | 'profile'
  | 'file'
  | 'text';

/** One word that a command takes after its own. */
export interface Argument {
  readonly name: string;
  readonly kind: Kind;
  readonly isOptional?: true;
  /** All words that are left; only the last argument. */
  readonly isRest?: true;
  /** The words that are possible, where they are few. */
  readonly oneOf?: readonly string[];
}

/** One option of a command; without `value` it is a flag. */
export interface Option {
  readonly value?: string;
  readonly about: string;
  /** Completed like an argument of this kind. */
  readonly kind?: Kind;
}

/** What was on the command line, checked against the command. */
export interface ParsedArguments {
  arg(name: string): string;
  optional(name: string): string | undefined;
  rest(name: string): readonly string[];
  option(name: string): string | undefined;
  flag(name: string): boolean;
}

/** What a command works with. */
export interface CommandContext {
  /**
   * The service, for the caller that profile, environment and options say. Ctrl-C ends what is under way, unless that
   * is to be finished because it is one step of many. `option`: as if these had been given.
   */
  readonly corral: (how?: {
    readonly onInterrupt?: 'end' | 'finish';
    readonly option?: (name: string) => string | undefined;
  }) => Promise<Corral>;
  /** The service, for this caller and nobody else. */
  readonly corralAs: (endpoint: string, credentials: Credentials) => Corral;
  readonly output: Output;
  /** A secret from a file (`-`: standard input), or asked for without showing it; never from the command line. */
  readonly secret: (what: string, file?: string) => Promise<string>;
  readonly signal: AbortSignal;
  /** What `--timeout` says; undefined: nothing. */
  readonly timeoutMs: number | undefined;
  readonly env: Environment;
  readonly terminal: Terminal;
}

/** One command, as a value: the parser, help, completion and the documents are made from the list of them. */
export interface Command {
  /** Noun, then verb: `['node', 'network', 'connect']`. */
  readonly words: readonly string[];
  readonly about: string;
  readonly args?: readonly Argument[];
  readonly options?: Readonly<Record<string, Option>>;
  /** What follows `corral`, to be copied. */
  readonly example: string;
  readonly run: (context: CommandContext, parsed: ParsedArguments) => Promise<void>;
}
