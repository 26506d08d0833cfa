import type { Calls } from '../../index.ts';
import { UsageError } from '../usage-error.ts';
import { conditionsIn, type MetadataCondition } from './match-metadata.ts';

type Match = NonNullable<Calls['projectClaim']['args']['match']>;
type ValueCondition = NonNullable<Match['metadata']>[string];

const numeric = { '>=': 'at_least', '<=': 'at_most', '>': 'more_than', '<': 'less_than' } as const;

/** What `--match` says, as a claim has it: the grammar of `corral node list --match`. */
export const claimMetadata = (text: string): NonNullable<Match['metadata']> => {
  const metadata = new Map<string, ValueCondition>();
  for (const condition of conditionsIn(text)) {
    const before = metadata.get(condition.label) ?? {};
    const added = conditionOf(condition);
    const twice = Object.keys(added).some((name) => Object.hasOwn(before, name));
    if (twice) {
      const what = `${condition.label}${condition.operator ?? ''}`;
      throw new UsageError(`--match ${JSON.stringify(text)}: duplicate condition ${what}; give it once`);
    }
    metadata.set(condition.label, { ...before, ...added });
  }
  return Object.fromEntries(metadata);
};

const conditionOf = ({ label, operator, wanted }: MetadataCondition): ValueCondition => {
  if (operator === undefined) return { present: true };
  if (operator === '=') return { equals: wanted };
  if (operator === '!=') return { not_equals: wanted };
  const number = Number(wanted);
  if (!Number.isFinite(number))
    throw new UsageError(`--match ${label}${operator}${wanted}: expected a number after ${operator}`);
  return { [numeric[operator]]: number };
};
