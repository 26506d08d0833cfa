import { UsageError } from '../usage-error.ts';

type Metadata = Readonly<Record<string, unknown>>;
type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=';

const isTrue: Readonly<Record<Operator, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** What one of the metadata has to be; without an operator, it has to be there. */
export interface MetadataCondition {
  readonly label: string;
  readonly operator: Operator | undefined;
  readonly wanted: string;
}

/**
 * Reads what metadata has to be: conditions such as `gpus>=4`, or a label alone for those that have it, separated by
 * commas. All have to be true.
 */
export const conditionsIn = (text: string): readonly MetadataCondition[] =>
  text.split(',').map((part) => conditionOf(part.trim(), text));

export const matcherOf = (text: string): ((metadata: Metadata) => boolean) => {
  const conditions = conditionsIn(text);
  return (metadata) => conditions.every((condition) => holds(condition, metadata));
};

const conditionOf = (part: string, whole: string): MetadataCondition => {
  const [, label = '', operator, wanted = ''] = /^([^<>=!]+?)\s*(?:(!=|<=|>=|=|<|>)\s*(.*))?$/.exec(part) ?? [];
  if (label === '' || (operator !== undefined && wanted === ''))
    throw new UsageError(`--match ${JSON.stringify(whole)}: expected conditions such as gpus>=4 or rack=r1,gpus`);
  return { label, operator: operator as Operator | undefined, wanted };
};

const holds = ({ label, operator, wanted }: MetadataCondition, metadata: Metadata): boolean => {
  const value = Object.hasOwn(metadata, label) ? metadata[label] : undefined;
  if (operator === undefined) return value !== undefined;
  if (value === undefined) return operator === '!=';
  return isTrue[operator](orderOf(textOf(value), wanted));
};

/** By value where both are numbers, as text otherwise. */
const orderOf = (value: string, wanted: string): number => {
  const [a, b] = [Number(value), Number(wanted)];
  if (value.trim() !== '' && !Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  if (value === wanted) return 0;
  return value < wanted ? -1 : 1;
};

/** A value of metadata as people write it. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
