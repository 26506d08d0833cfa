import { firstInNaturalOrder, inNaturalOrder } from './natural-order.ts';

/** Which of the nodes that fit are taken: from as many values of a key of metadata as possible, or from as few. */
export type ClaimPreference = { readonly spread: string } | { readonly pack: string };

/** A node that fits, with its value of the preferred key. */
export interface Candidate {
  readonly id: number;
  readonly label: string;
  /** null: it has none, or nothing is preferred. */
  readonly value: string | null;
}

/** As many of the candidates as are wanted, always the same ones; there have to be so many. */
export const chooseNodes = (
  candidates: readonly Candidate[],
  wanted: number,
  prefer: ClaimPreference | null,
): readonly Candidate[] => {
  if (prefer === null) return firstInNaturalOrder(candidates, wanted, ({ label }) => label);
  const groups = groupsOf(candidates, wanted);
  return inNaturalOrder('spread' in prefer ? spread(groups, wanted) : pack(groups, wanted), ({ label }) => label);
};

/** Nodes of one value: how many there are, and the first of them. */
interface Group {
  readonly size: number;
  readonly first: readonly Candidate[];
}

/** By value, in the natural order of values; those without one are the last group. */
const groupsOf = (candidates: readonly Candidate[], wanted: number): readonly Group[] => {
  const byValue = new Map<string | null, Candidate[]>();
  for (const candidate of candidates) {
    const group = byValue.get(candidate.value);
    if (group) group.push(candidate);
    else byValue.set(candidate.value, [candidate]);
  }
  const without = byValue.get(null);
  byValue.delete(null);
  const named = inNaturalOrder([...byValue], ([value]) => value ?? '').map(([, group]) => group);
  return [...named, ...(without === undefined ? [] : [without])].map((group) => ({
    size: group.length,
    first: firstInNaturalOrder(group, wanted, ({ label }) => label),
  }));
};

/** One of each group, round after round. */
const spread = (groups: readonly Group[], wanted: number): readonly Candidate[] => {
  const chosen: Candidate[] = [];
  for (let round = 0; chosen.length < wanted && groups.some(({ size }) => size > round); round += 1) {
    for (const { first } of groups) chosen.push(...first.slice(round, round + 1));
  }
  return chosen.slice(0, wanted);
};

/** The largest groups, so that few are enough; the last is the smallest that has as many as are still missing. */
const pack = (groups: readonly Group[], wanted: number): readonly Candidate[] => {
  const chosen: Candidate[] = [];
  // Sorting is stable: of groups of one size, the first by value is taken.
  const left = [...groups].sort((a, b) => b.size - a.size);
  while (chosen.length < wanted && left.length > 0) {
    const missing = wanted - chosen.length;
    const enough = left.filter(({ size }) => size >= missing);
    const smallest = enough.at(-1)?.size;
    const next = left.findIndex(({ size }) => size === (smallest ?? left[0]?.size));
    for (const { first } of left.splice(next, 1)) chosen.push(...first.slice(0, missing));
  }
  return chosen;
};
