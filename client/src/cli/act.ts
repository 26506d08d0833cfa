import type { Corral } from '../index.ts';
import type { Argument, Command, Given, Option } from './command.ts';
import { done } from './say.ts';

interface Act {
  /** As it is typed: `network delete`. */
  readonly words: string;
  readonly about: string;
  readonly args?: readonly Argument[];
  readonly options?: Readonly<Record<string, Option>>;
  readonly example: string;
  readonly call: (corral: Corral, given: Given, signal: AbortSignal) => Promise<unknown>;
  /** What is so afterwards. */
  readonly sentence: (given: Given) => string;
}

/** A command that is one call with nothing to show but that it was done. */
export const act = ({ words, call, sentence, ...rest }: Act): Command => ({
  ...rest,
  words: words.split(' '),
  run: async ({ corral, output, signal }, given) => {
    await call(await corral(), given, signal);
    done(output, sentence(given));
  },
});

/** The value of an option as a field of a call, or nothing. */
export const field = <Name extends string>(
  name: Name,
  value: string | undefined,
): Partial<Readonly<Record<Name, string>>> =>
  (value === undefined ? {} : { [name]: value }) as Partial<Readonly<Record<Name, string>>>;
