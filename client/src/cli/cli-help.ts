import type { Command } from './cli-command.ts';
import { commonOptions, optionsOf, ownOptions, usageOf } from './parse-arguments.ts';
import type { Style } from './style.ts';
import { wrapLines } from './wrap-lines.ts';

/** How to use a command, a group of them, or all. */
export const helpFor = (commands: readonly Command[], words: readonly string[], style: Style): string => {
  const exact = commands.find((command) => command.words.join(' ') === words.join(' '));
  const group = commands.filter((command) => words.every((word, index) => command.words[index] === word));
  if (exact) {
    const longer = group.filter((command) => command !== exact);
    return [ofCommand(exact, style), ...(longer.length === 0 ? [] : ['', ofGroup(longer, style)])].join('\n');
  }
  return words.length > 0 && group.length > 0 ? ofGroup(group, style) : ofAll(commands, style);
};

/** For a terminal of this width. Examples stay as they are: somebody copies them. */
export const wrapHelp = (help: string, width: number): string => {
  const lines = help.split('\n');
  const isNarrow = lines.some((line) => line.length > width && nameAndText(line)[0].length > width * widestNames);
  return lines
    .map((line) => {
      if (/^ {2}corral (?!.* {2})/.test(line)) return line;
      const [name, text] = nameAndText(line);
      if (!isNarrow || name === '') return wrapLines(line, width);
      return `${wrapLines(name.trimEnd(), width)}\n${wrapLines(`      ${text}`, width)}`;
    })
    .join('\n');
};

/** Of a width. Where names take more of it, what they are about stands below them. */
const widestNames = 0.55;

/** A line of a list of commands, taken apart; without a name it is no such line. */
const nameAndText = (line: string): readonly [name: string, text: string] => {
  const [, name = '', text = ''] = /^( {2}corral .*? {2,})(\S.*)$/.exec(line) ?? [];
  return [name, text];
};

const ofCommand = (command: Command, style: Style): string =>
  [
    usageOf(command),
    '',
    `  ${command.about}`,
    '',
    style.bold('Options'),
    ...columns(Object.entries(optionsOf(command)).map(([name, { value, about }]) => [optionText(name, value), about])),
    '',
    style.bold('Example'),
    `  corral ${command.example}`,
  ].join('\n');

const ofGroup = (commands: readonly Command[], style: Style): string =>
  [
    style.bold('Commands'),
    ...columns(commands.map((command) => [usageOf({ ...command, options: {} }), command.about])),
  ].join('\n');

const ofAll = (commands: readonly Command[], style: Style): string => {
  const nouns = [...new Set(commands.map(({ words }) => words[0] ?? ''))].filter((noun) => !noun.startsWith('_'));
  return [
    'corral: reserve bare-metal nodes and isolate them with VLANs',
    '',
    style.bold('Commands'),
    ...columns(
      nouns.map((noun) => {
        const own = commands.filter(({ words }) => words[0] === noun);
        const [only] = own;
        const verbs = [...new Set(own.map(({ words }) => words[1] ?? ''))].filter((verb) => verb !== '');
        return [noun, verbs.length === 0 ? (only?.about ?? '') : verbs.join(', ')];
      }),
    ),
    '',
    style.bold('Options of every command'),
    ...columns(Object.entries(commonOptions).map(([name, { value, about }]) => [optionText(name, value), about])),
    '',
    style.bold('Options without a command'),
    ...columns(Object.entries(ownOptions).map(([name, { value, about }]) => [optionText(name, value), about])),
    '',
    'Run corral help NOUN [VERB] for details and an example. Start with corral login.',
  ].join('\n');
};

const optionText = (name: string, value: string | undefined): string =>
  `--${name}${value === undefined ? '' : ` ${value}`}`;

const columns = (rows: readonly (readonly [string, string])[]): string[] => {
  const longest = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, about]) => `  ${name.padEnd(longest)}  ${about}`);
};
