import type { Corral } from '../index.ts';
import type { Argument, Command, Kind, Option, ParsedArguments } from './cli-command.ts';
import { reportDone } from './report-done.ts';
import { queued, waitOptions } from './wait-for-change.ts';

type ArgumentIn<Usage extends string> = Usage extends `${string}<${infer Argument}>${infer Rest}`
  ? (Argument extends `${infer Name}:${string}` ? Name : Argument) | ArgumentIn<Rest>
  : never;

type Args<Usage extends string> = Readonly<Record<ArgumentIn<Usage>, string>>;

interface Description<Usage extends string> {
  /**
   * As it is typed: `network delete <network>`. `<owner:project>`: of this kind; `<which:free|all>`: one of these;
   * `[channel:text]`: it may be left out, and is asked for by name.
   */
  readonly usage: Usage;
  readonly about: string;
  readonly options?: Readonly<Record<string, Option>>;
  readonly example: string;
}

interface SimpleCommand<Usage extends string> extends Description<Usage> {
  readonly call: (corral: Corral, args: Args<Usage>, parsed: ParsedArguments) => Promise<unknown>;
  /** What is so afterwards. */
  readonly sentence: (args: Args<Usage>, parsed: ParsedArguments) => string;
}

/** A command that is one call with nothing to show but that it was done. */
export const simpleCommand = <Usage extends string>({
  call,
  sentence,
  ...description
}: SimpleCommand<Usage>): Command => ({
  ...described(description),
  run: async ({ corral, output }, parsed) => {
    const args = argsOf(description, parsed);
    await call(await corral(), args, parsed);
    reportDone(output, sentence(args, parsed));
  },
});

interface ListCommand<Usage extends string> extends Description<Usage> {
  /** What the labels are of: `node`. */
  readonly of: string;
  readonly call: (corral: Corral, args: Args<Usage>) => Promise<readonly string[]>;
}

/** A command that lists labels. */
export const listCommand = <Usage extends string>({ of, call, ...description }: ListCommand<Usage>): Command => ({
  ...described(description),
  run: async ({ corral, output }, parsed) => {
    const labels = await call(await corral(), argsOf(description, parsed));
    const rows = labels.map((label) => [label]);
    output.table([of], rows, labels, `no ${of}s`);
  },
});

interface QueuedCommand<Usage extends string> extends SimpleCommand<Usage> {
  readonly call: (
    corral: Corral,
    args: Args<Usage>,
    parsed: ParsedArguments,
  ) => Promise<{ readonly status_id: string }>;
}

/** A command that queues a change of a switch. */
export const queuedCommand = <Usage extends string>({
  call,
  sentence,
  ...description
}: QueuedCommand<Usage>): Command => ({
  ...described({ ...description, options: waitOptions }),
  run: async (context, parsed) => {
    const args = argsOf(description, parsed);
    const corral = await context.corral();
    const { status_id } = await call(corral, args, parsed);
    await queued(context, parsed, corral, status_id, sentence(args, parsed));
  },
});

const described = <Usage extends string>({ usage, ...rest }: Description<Usage>) => ({
  ...rest,
  words: usage.split(' ').filter((word) => !/^[<[]/.test(word)),
  args: argumentsIn(usage),
});

const argumentsIn = (usage: string): readonly Argument[] =>
  [...usage.matchAll(/([<[])(\w+)(?::([\w|-]+))?[>\]]/g)].map(([, bracket, name = '', kind = name]) => ({
    name,
    ...(kind.includes('|') ? { kind: 'text', oneOf: kind.split('|') } : { kind: kind as Kind }),
    ...(bracket === '[' && { isOptional: true }),
  }));

const argsOf = <Usage extends string>({ usage }: Description<Usage>, parsed: ParsedArguments): Args<Usage> => {
  const needed = argumentsIn(usage).filter(({ isOptional }) => !isOptional);
  return Object.fromEntries(needed.map(({ name }) => [name, parsed.arg(name)])) as Args<Usage>;
};

/** The value of an option as a field of a call, or nothing. */
export const field = <Name extends string>(
  name: Name,
  value: string | undefined,
): Partial<Readonly<Record<Name, string>>> =>
  (value === undefined ? {} : { [name]: value }) as Partial<Readonly<Record<Name, string>>>;
