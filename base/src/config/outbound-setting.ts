import { AllowList, entryRule } from '../http/allow-list.ts';
import { listOf } from './value-types.ts';

/** Where connections may go. */
export const allowList = listOf(entryRule, (entries, wrong) =>
  AllowList.from(entries, (entry) => wrong({ expected: `${entryRule}; ${JSON.stringify(entry)} is none of them` })),
);
