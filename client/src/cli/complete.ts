import type { Command, Kind } from './cli-command.ts';
import type { Labels } from './label-completion.ts';
import { commandOf, commonOptions, optionsOf, ownOptions, split } from './parse-arguments.ts';

/** Says to a shell that the word is the name of a file; no label has a tab. */
export const filesWanted = '\t';

/** What the word that is being typed (the last one) may become. */
export const candidatesFor = async (
  commands: readonly Command[],
  typed: readonly string[],
  labels: Labels,
  profiles: () => Promise<readonly string[]>,
): Promise<readonly string[]> => {
  const partial = typed.at(-1) ?? '';
  const before = typed.slice(0, -1);
  const all = await possible(commands, before, partial, async (kind, known) => {
    if (kind === 'file') return [filesWanted];
    if (kind === 'profile') return profiles();
    return kind === 'text' ? [] : labels(kind, known);
  });
  return all.filter((candidate) => candidate === filesWanted || candidate.startsWith(partial));
};

/** The options among the words that were typed, as far as they are whole. */
export const optionsIn = (commands: readonly Command[], typed: readonly string[]): ReadonlyMap<string, string> =>
  split(commands, typed, 'unfinished').options;

const possible = async (
  commands: readonly Command[],
  before: readonly string[],
  partial: string,
  labels: Labels<Kind>,
): Promise<readonly string[]> => {
  const { words, awaited, isPlain, plainFrom } = split(commands, before, 'unfinished');
  const command = commandOf(commands, { words, plainFrom });
  const options = command ? optionsOf(command) : { ...commonOptions, ...(words.length === 0 ? ownOptions : {}) };
  const ofOption = (name: string): Promise<readonly string[]> => {
    const { value, kind = value === 'FILE' ? 'file' : 'text' }: { value?: string; kind?: Kind } = options[name] ?? {};
    return labels(kind, new Map());
  };
  if (awaited !== null) return ofOption(awaited);
  const [, attached] = /^--([^=]+)=/.exec(partial) ?? [];
  if (attached !== undefined && !isPlain) {
    return (await ofOption(attached)).map((label) => (label === filesWanted ? label : `--${attached}=${label}`));
  }
  if (words[0] === 'help') return nextWords(commands, words.slice(1));
  const plain = [...nextWords(commands, words), ...(await argumentsFor(command, words, labels))];
  if (isPlain) return plain;
  // A label that begins like an option is one only after `--`.
  const usual = plain.filter((word) => !word.startsWith('--'));
  return partial.startsWith('-') ? [...usual, ...Object.keys(options).map((name) => `--${name}`)] : usual;
};

const nextWords = (commands: readonly Command[], words: readonly string[]): readonly string[] => {
  const next = commands
    .filter(({ words: own }) => words.every((word, index) => own[index] === word) && own.length > words.length)
    .map(({ words: own }) => own[words.length] ?? '');
  const all = words.length === 0 ? [...next, 'help'] : next;
  return [...new Set(all)].filter((word) => !word.startsWith('_')).sort();
};

const argumentsFor = async (
  command: Command | undefined,
  words: readonly string[],
  labels: Labels<Kind>,
): Promise<readonly string[]> => {
  if (!command) return [];
  const parsed = words.slice(command.words.length);
  const args = command.args ?? [];
  const arg = args[parsed.length] ?? (args.at(-1)?.isRest ? args.at(-1) : undefined);
  if (!arg) return [];
  const known = new Map(
    args.flatMap(({ name }, index) => (parsed[index] === undefined ? [] : [[name, parsed[index]]])),
  );
  return arg.oneOf ?? labels(arg.kind, known);
};

/**
 * What makes a shell ask us; to be sourced by it. Nothing is read from the terminal, so that a profile without a token
 * does not ask for a password in the middle of a line.
 */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: `_corral() {
  mapfile -t COMPREPLY < <(corral __complete --bash -- "\${COMP_LINE:0:COMP_POINT}" </dev/null 2>/dev/null)
  if [[ \${COMPREPLY[0]-} == $'\\t' ]]; then
    COMPREPLY=()
    compopt -o default
  fi
}
complete -F _corral corral
`,
  zsh: `#compdef corral
_corral() {
  local -a candidates
  candidates=("\${(@f)$(corral __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" </dev/null 2>/dev/null)}")
  if [[ $candidates[1] == $'\\t' ]]; then
    _files
  elif [[ -n $candidates[1] ]]; then
    compadd -a candidates
  fi
}
compdef _corral corral
`,
  fish: `function __corral_candidates
    set -l typed (commandline -opc)[2..-1]
    set -l partial (commandline -ct | string unescape 2>/dev/null; or commandline -ct | string trim -l -c '\\'"')
    set -l candidates (corral __complete -- $typed "$partial" </dev/null 2>/dev/null)
    if test "$candidates[1]" = \\t
        __fish_complete_path "$partial"
    else
        printf '%s\\n' $candidates
    end
end
complete -c corral -f -a '(__corral_candidates)'
`,
};
