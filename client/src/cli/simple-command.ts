import type { Corral } from '../index.ts';
import type { Argument, Command, ParsedArguments, Option } from './cli-command.ts';
import { reportDone } from './report-done.ts';

interface SimpleCommand {
  /** As it is typed: `network delete`. */
  readonly words: string;
  readonly about: string;
  readonly args?: readonly Argument[];
  readonly options?: Readonly<Record<string, Option>>;
  readonly example: string;
  readonly call: (corral: Corral, parsed: ParsedArguments, signal: AbortSignal) => Promise<unknown>;
  /** What is so afterwards. */
  readonly sentence: (parsed: ParsedArguments) => string;
}

/** A command that is one call with nothing to show but that it was done. */
export const simpleCommand = ({ words, call, sentence, ...rest }: SimpleCommand): Command => ({
  ...rest,
  words: words.split(' '),
  run: async ({ corral, output, signal }, parsed) => {
    await call(await corral(), parsed, signal);
    reportDone(output, sentence(parsed));
  },
});

/** The value of an option as a field of a call, or nothing. */
export const field = <Name extends string>(
  name: Name,
  value: string | undefined,
): Partial<Readonly<Record<Name, string>>> =>
  (value === undefined ? {} : { [name]: value }) as Partial<Readonly<Record<Name, string>>>;
