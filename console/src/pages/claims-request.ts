import type { Calls } from '@corral/client';
import type { Claim } from '../api/client.ts';
import { commandOf } from '../ui/shell-word.ts';

/** What a value of metadata can be compared by, as people say it and as the command line writes it. */
export const operators = {
  equals: { words: 'is', sign: '=' },
  not_equals: { words: 'is not', sign: '!=' },
  at_least: { words: 'is at least', sign: '>=' },
  at_most: { words: 'is at most', sign: '<=' },
  more_than: { words: 'is more than', sign: '>' },
  less_than: { words: 'is less than', sign: '<' },
  present: { words: 'is there', sign: '' },
} as const;
export type Operator = keyof typeof operators;
export const operatorNames = Object.keys(operators) as readonly Operator[];

/** A row of the form. */
export interface ConditionRow {
  readonly id: number;
  readonly key: string;
  readonly operator: Operator;
  readonly value: string;
}

/** What the form says. */
export interface ClaimForm {
  readonly count: string;
  readonly rows: readonly ConditionRow[];
  readonly nics: string;
  readonly prefer: 'any' | 'spread' | 'pack';
  readonly preferKey: string;
  readonly wait: boolean;
}

export const emptyForm: ClaimForm = { count: '1', rows: [], nics: '', prefer: 'any', preferKey: '', wait: false };

const takesNumber = (operator: Operator): boolean =>
  operator !== 'equals' && operator !== 'not_equals' && operator !== 'present';

const isWholeUpTo = (most: number, text: string): boolean => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= most;

/** Longer ones are not looked for. */
const longestValue = 200;

/** What is wrong with a row, by field; null: nothing. */
export const keyMistake = ({ key }: ConditionRow): string | null => (key === '' ? 'Name the metadata' : null);

export const valueMistake = ({ operator, value }: ConditionRow): string | null => {
  if (operator === 'present') return null;
  if (value.trim() === '') return 'Give a value';
  if (value.length > longestValue) return `Give a value of at most ${longestValue} characters`;
  return takesNumber(operator) && !Number.isFinite(Number(value)) ? 'Give a number' : null;
};

/** What is wrong with the form, or not filled in yet; null: it can be sent. */
export const formMistake = (form: ClaimForm): string | null => {
  if (!isWholeUpTo(100, form.count)) return 'Ask for 1 to 100 nodes';
  if (form.nics !== '' && !isWholeUpTo(1_000, form.nics)) return 'Give the number of nics, such as 2';
  if (form.prefer !== 'any' && form.preferKey === '') return 'Name the metadata to choose by';
  const [first] = form.rows.flatMap((row) => keyMistake(row) ?? valueMistake(row) ?? []);
  if (first !== undefined) return first;
  const names = form.rows.map(({ key, operator }) => `${key} ${operator}`);
  return new Set(names).size < names.length ? 'Compare the same metadata in the same way only once' : null;
};

type Wanted = Omit<Calls['projectClaimPreview']['args'], 'project'>;

/** What the service is asked for, by a form without mistakes. */
export const wantedOf = ({ count, rows, nics, prefer, preferKey }: ClaimForm): Wanted => {
  const metadata = new Map<string, Readonly<Record<string, string | number | boolean>>>();
  for (const { key, operator, value } of rows) {
    const wanted = operator === 'present' ? true : takesNumber(operator) ? Number(value) : value;
    metadata.set(key, { ...metadata.get(key), [operator]: wanted });
  }
  const match = {
    ...(rows.length === 0 ? {} : { metadata: Object.fromEntries(metadata) }),
    ...(nics === '' ? {} : { nics: { at_least: Number(nics) } }),
  };
  return {
    count: Number(count),
    match,
    ...(prefer === 'spread' ? { prefer: { spread: preferKey } } : {}),
    ...(prefer === 'pack' ? { prefer: { pack: preferKey } } : {}),
  };
};

/** The command line separates conditions by commas, and finds a label by the sign after it. */
const isWritable = ({ key, value }: ConditionRow): boolean =>
  !/[,<>=!]/.test(key) && !value.includes(',') && value === value.trim();

/** The same on the command line; null: it cannot be written there. */
export const claimCommand = (project: string, form: ClaimForm): string | null => {
  const { count, rows, nics, prefer, preferKey, wait } = form;
  if (!rows.every(isWritable)) return null;
  const match = rows.map(
    ({ key, operator, value }) => `${key}${operators[operator].sign}${operator === 'present' ? '' : value}`,
  );
  return commandOf(
    'claim',
    'nodes',
    project || 'PROJECT',
    count || 'COUNT',
    ...(match.length === 0 ? [] : ['--match', match.join(',')]),
    ...(nics === '' ? [] : ['--nics', nics]),
    ...(prefer === 'any' ? [] : [`--${prefer}`, preferKey || 'LABEL']),
    ...(wait ? ['--wait'] : []),
  );
};

/** The operators that a claim can have been made with elsewhere, too. */
const comparisonWords: Readonly<Record<string, string>> = {
  ...Object.fromEntries(operatorNames.map((name) => [name, operators[name].words])),
  one_of: 'is one of',
};

const conditionWords = (label: string, operator: string, value: unknown): string =>
  operator === 'present'
    ? `${label} ${value === false ? 'is not there' : 'is there'}`
    : `${label} ${comparisonWords[operator] ?? operator} ${[value].flat().join(', ')}`;

/** What a claim asks for, in words: `2 nodes: gpus is at least 4, spread over rack`. */
export const claimWords = ({ count, match, prefer }: Pick<Claim, 'count' | 'match' | 'prefer'>): string => {
  const all = [
    ...Object.entries(match.metadata ?? {}).flatMap(([label, compared]) =>
      Object.entries(compared).map(([operator, value]) => conditionWords(label, operator, value)),
    ),
    ...(match.nics === undefined ? [] : [`${match.nics.at_least} nics or more`]),
    ...(match.switch === undefined ? [] : [`on switch ${match.switch}`]),
    ...(prefer !== null && 'spread' in prefer ? [`spread over ${prefer.spread}`] : []),
    ...(prefer !== null && 'pack' in prefer ? [`packed by ${prefer.pack}`] : []),
  ];
  const nodes = count === 1 ? '1 node' : `${count} nodes`;
  return all.length === 0 ? nodes : `${nodes}: ${all.join(', ')}`;
};

/** What a refusal says of the claim, and, where it has several conditions, of each: two sentences. */
export const refusalSentences = (refusal: string): readonly string[] => {
  const at = refusal.indexOf('. Of the free nodes, ');
  const parts = at < 0 ? [refusal] : [refusal.slice(0, at), refusal.slice(at + 2)];
  return parts.map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}.`);
};
