import type { Argument, Command, ParsedArguments, Option } from './cli-command.ts';
import { nearest, UsageError } from './usage-error.ts';

/** Options that every command takes. */
export const commonOptions: Readonly<Record<string, Option>> = {
  json: { about: 'print JSON for programs' },
  wide: { about: 'do not wrap tables at the width of the terminal' },
  profile: { value: 'NAME', kind: 'profile', about: 'use this profile of the configuration file' },
  endpoint: { value: 'URL', about: 'the service, such as https://corral.example.org' },
  timeout: { value: 'SECONDS', about: 'how long to wait for anything' },
  help: { about: 'show how a command is used' },
};

/** Those without a command. */
export const ownOptions: Readonly<Record<string, Option>> = { version: { about: 'show the version of corral' } };

/** What a command line asks for. */
export type Parsed =
  | { readonly kind: 'run'; readonly command: Command; readonly parsed: ParsedArguments }
  | { readonly kind: 'help'; readonly words: readonly string[] }
  | { readonly kind: 'version' };

/** Finds the command, and checks everything that follows it. */
export const parse = (commands: readonly Command[], argv: readonly string[]): Parsed => {
  const { words, options, plainFrom } = split(commands, argv);
  if (words.length === 0) {
    requireKnown('corral', { ...commonOptions, ...ownOptions }, options);
    return options.has('version') ? { kind: 'version' } : { kind: 'help', words };
  }
  if (words[0] === 'help') return helpOn(commands, words.slice(1));
  if (options.has('help')) return helpOn(commands, words);
  const command = commandOf(commands, { words, plainFrom });
  if (!command) throw unknownCommand(commands, words);
  requireKnown(`corral ${command.words.join(' ')}`, optionsOf(command), options);
  const values = argumentsOf(command, words.slice(command.words.length));
  return {
    kind: 'run',
    command,
    parsed: {
      arg: (name) => values.get(name)?.[0] ?? '',
      optional: (name) => values.get(name)?.[0],
      rest: (name) => values.get(name) ?? [],
      option: (name) => options.get(name),
      flag: (name) => options.has(name),
    },
  };
};

/** Help on a command, whatever follows it, or on those that begin like this. */
const helpOn = (commands: readonly Command[], words: readonly string[]): Parsed => {
  const command = longestMatch(commands, words);
  if (command) return { kind: 'help', words: command.words };
  if (!commands.some(({ words: own }) => startsWith(own, words))) throw unknownCommand(commands, words);
  return { kind: 'help', words };
};

export const optionsOf = (command: Command): Readonly<Record<string, Option>> => ({
  ...command.options,
  ...commonOptions,
});

/** The command that words begin with; of several the one with the most words. */
const longestMatch = (commands: readonly Command[], words: readonly string[]): Command | undefined =>
  commands
    .filter((command) => command.words.every((word, index) => words[index] === word))
    .sort((a, b) => b.words.length - a.words.length)[0];

/** What comes after `--` is no part of a command's name: a node may be called like a command. */
export const commandOf = (
  commands: readonly Command[],
  { words, plainFrom }: Pick<Split, 'words' | 'plainFrom'>,
): Command | undefined => longestMatch(commands, words.slice(0, plainFrom)) ?? longestMatch(commands, words);

/** Which option a name means, before it is known which command it belongs to: all that have a name agree on its value. */
const optionNamed = (commands: readonly Command[], argv: readonly string[], name: string): Option | undefined => {
  const command = longestMatch(
    commands,
    argv.filter((word) => !word.startsWith('-')),
  );
  const own = command && optionsOf(command)[name];
  return own ?? commands.map((candidate) => optionsOf(candidate)[name]).find((option) => option !== undefined);
};

/** A command line, taken apart. */
interface Split {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  /** The option that the next word is the value of. */
  readonly awaited: string | null;
  /** After `--` nothing is an option, nor the name of a command: how many words there are before it. */
  readonly plainFrom: number;
  readonly isPlain: boolean;
}

/** Words and options apart from each other. Of a line that is still being typed nothing is complained about. */
export const split = (
  commands: readonly Command[],
  argv: readonly string[],
  line: 'whole' | 'unfinished' = 'whole',
): Split => {
  const optionFor = (name: string): Option | undefined => optionNamed(commands, argv, name);
  const complain = (sentence: string): void => {
    if (line === 'whole') throw new UsageError(sentence);
  };
  const words: string[] = [];
  const options = new Map<string, string>();
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') {
      const plainFrom = words.length;
      words.push(...argv.slice(index + 1));
      return { words, options, awaited: null, plainFrom, isPlain: true };
    }
    if (word === '-h') {
      options.set('help', '');
      continue;
    }
    if (!word.startsWith('--')) {
      words.push(word);
      continue;
    }
    const [name, attached] = cut(word.slice(2));
    const takesValue = optionFor(name)?.value !== undefined;
    if (attached !== undefined && !takesValue && optionFor(name)) complain(`option --${name} takes no value`);
    if (options.has(name)) complain(`option --${name} is given twice`);
    if (!takesValue || attached !== undefined) {
      options.set(name, attached ?? '');
      continue;
    }
    const value = argv[(index += 1)];
    if (value === undefined) {
      complain(`option --${name} needs a value: --${name} ${optionFor(name)?.value ?? ''}`);
      return { words, options, awaited: name, plainFrom: words.length, isPlain: false };
    }
    options.set(name, value);
  }
  return { words, options, awaited: null, plainFrom: words.length, isPlain: false };
};

const cut = (text: string): [string, string | undefined] => {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
};

const argumentsOf = (command: Command, words: readonly string[]): Map<string, readonly string[]> => {
  const values = new Map<string, readonly string[]>();
  const { args = [] } = command;
  for (const [index, arg] of args.entries()) {
    const mine = arg.isRest ? words.slice(index) : words.slice(index, index + 1);
    if (mine.length === 0 && !arg.isOptional)
      throw new UsageError(`${usageOf(command)}: ${placeholder(arg)} is missing`);
    for (const word of mine) requirePossible(arg, word);
    if (mine.length > 0) values.set(arg.name, mine);
  }
  const last = args.at(-1);
  const surplus = last?.isRest ? undefined : words[args.length];
  if (surplus !== undefined)
    throw new UsageError(`${usageOf(command)}: unexpected argument ${JSON.stringify(surplus)}`);
  return values;
};

const requirePossible = ({ name, oneOf }: Argument, word: string): void => {
  if (oneOf === undefined || oneOf.includes(word)) return;
  const meant = nearest(word, oneOf);
  throw new UsageError(
    `${name.toUpperCase()} must be one of ${oneOf.join(', ')}, not ${JSON.stringify(word)}${meant === null ? '' : `; did you mean ${meant}?`}`,
  );
};

const placeholder = ({ name, isOptional, isRest, oneOf }: Argument): string => {
  const text = `${oneOf ? oneOf.join('|') : name.toUpperCase()}${isRest ? '...' : ''}`;
  return isOptional ? `[${text}]` : text;
};

/** The command as it is typed. */
export const usageOf = ({ words, args = [], options = {} }: Command): string =>
  [
    'corral',
    ...words,
    ...args.map(placeholder),
    ...Object.entries(options).map(([name, { value }]) => `[--${name}${value === undefined ? '' : ` ${value}`}]`),
  ].join(' ');

const unknownCommand = (commands: readonly Command[], words: readonly string[]): UsageError => {
  const depth = words.findIndex(
    (_, index) => !commands.some(({ words: own }) => startsWith(own, words.slice(0, index + 1))),
  );
  const known = words.slice(0, depth < 0 ? words.length : depth);
  const next = [
    ...new Set(
      commands.filter(({ words: own }) => startsWith(own, known)).map(({ words: own }) => own[known.length] ?? ''),
    ),
    ...(known.length === 0 ? ['help'] : []),
  ].filter((word) => !word.startsWith('_'));
  const wrong = words[known.length];
  const typed = ['corral', ...known].join(' ');
  if (wrong === undefined) return new UsageError(`${typed} needs a subcommand: ${next.join(', ')}`);
  const meant = nearest(wrong, next);
  const hint = meant === null ? `expected one of ${next.join(', ')}` : `did you mean ${typed} ${meant}?`;
  return new UsageError(`unknown command ${typed} ${wrong}; ${hint}`);
};

const startsWith = (words: readonly string[], beginning: readonly string[]): boolean =>
  beginning.every((word, index) => words[index] === word);

const requireKnown = (
  typed: string,
  possible: Readonly<Record<string, Option>>,
  parsed: ReadonlyMap<string, string>,
): void => {
  const unknown = [...parsed.keys()].find((name) => !Object.hasOwn(possible, name));
  if (unknown === undefined) return;
  const known = Object.keys(possible);
  const meant = nearest(unknown, known);
  throw new UsageError(
    `${typed} has no option --${unknown}; ${meant === null ? `its options are ${known.map((one) => `--${one}`).join(', ')}` : `did you mean --${meant}?`}`,
  );
};
