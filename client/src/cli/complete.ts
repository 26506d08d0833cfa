import type { Corral } from '../index.ts';
import type { Command, Kind } from './command.ts';
import { optionsOf } from './parse.ts';

/** The words before the one that is being typed, and which labels they name already. */
type Labels = (kind: Kind, before: ReadonlyMap<string, string>) => Promise<readonly string[]>;

/** What the word that is being typed (the last one) may become. */
export const candidatesFor = async (
  commands: readonly Command[],
  typed: readonly string[],
  labels: Labels,
): Promise<readonly string[]> => {
  const partial = typed.at(-1) ?? '';
  const before = typed.slice(0, -1);
  const words = before.filter((word) => !word.startsWith('-'));
  const command = commands
    .filter(({ words: own }) => own.every((word, index) => words[index] === word))
    .sort((a, b) => b.words.length - a.words.length)[0];
  const all = await possible(commands, command, { words, before, partial }, labels);
  return all.filter((candidate) => candidate.startsWith(partial));
};

interface Typed {
  readonly words: readonly string[];
  readonly before: readonly string[];
  readonly partial: string;
}

const possible = async (
  commands: readonly Command[],
  command: Command | undefined,
  { words, before, partial }: Typed,
  labels: Labels,
): Promise<readonly string[]> => {
  const options = command ? optionsOf(command) : {};
  const asked = before.at(-1)?.replace(/^--/, '');
  const option = asked !== undefined && before.at(-1)?.startsWith('--') ? options[asked] : undefined;
  if (option?.value !== undefined) return option.kind ? labels(option.kind, new Map()) : [];
  if (partial.startsWith('-')) return Object.keys(options).map((name) => `--${name}`);
  const next = commands
    .filter(({ words: own }) => words.every((word, index) => own[index] === word) && own.length > words.length)
    .map(({ words: own }) => own[words.length] ?? '');
  if (next.length > 0 || !command) return [...new Set(next)].filter((word) => !word.startsWith('_')).sort();
  const given = words.slice(command.words.length);
  const args = command.args ?? [];
  const arg = args[given.length] ?? (args.at(-1)?.isRest ? args.at(-1) : undefined);
  if (!arg) return [];
  const known = new Map(args.flatMap(({ name }, index) => (given[index] === undefined ? [] : [[name, given[index]]])));
  return arg.oneOf ?? labels(arg.kind, known);
};

/** Labels as the service knows them now. */
export const labelsFrom =
  (corral: Corral): Labels =>
  async (kind, before) => {
    const node = before.get('node') ?? '';
    const lists: Readonly<Record<Kind, () => Promise<readonly string[]>>> = {
      node: () => corral.listNodes({ is_free: 'all' }),
      'free-node': () => corral.listNodes({ is_free: 'free' }),
      nic: async () => (await corral.showNode({ node })).nics.map(({ label }) => label),
      network: async () => Object.keys(await corral.listNetworks()),
      project: () => corral.listProjects(),
      headnode: () => Promise.resolve([]),
      hnic: async () => (await corral.showHeadnode({ headnode: before.get('headnode') ?? '' })).hnics,
      switch: () => corral.listSwitches(),
      port: async () => (await corral.showSwitch({ switch: before.get('switch') ?? '' })).ports,
      user: async () => Object.keys(await corral.listUsers()),
      image: () => corral.listHeadnodeImages(),
      token: async () => (await corral.listTokens()).map(({ token }) => token),
      text: () => Promise.resolve([]),
    };
    return lists[kind]();
  };

/** What makes a shell ask us; to be sourced by it. */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: `_corral() {
  local IFS=$'\\n'
  COMPREPLY=($(corral __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _corral corral
`,
  zsh: `#compdef corral
_corral() {
  local -a candidates
  candidates=("\${(@f)$(corral __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a candidates
}
compdef _corral corral
`,
  fish: `complete -c corral -f -a '(corral __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};
