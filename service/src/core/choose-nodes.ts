import { inNaturalOrder } from './natural-order.ts';

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
  const sorted = inNaturalOrder(candidates, ({ label }) => label);
  if (prefer === null) return sorted.slice(0, wanted);
  const groups = groupsOf(sorted);
  return inNaturalOrder('spread' in prefer ? spread(groups, wanted) : pack(groups, wanted), ({ label }) => label);
};

type Group = readonly Candidate[];

/** By value, in the natural order of values; those without one are the last group. */
const groupsOf = (candidates: readonly Candidate[]): readonly Group[] => {
  const byValue = new Map<string | null, Candidate[]>();
  for (const candidate of candidates) {
    const group = byValue.get(candidate.value);
    if (group) group.push(candidate);
    else byValue.set(candidate.value, [candidate]);
  }
  const without = byValue.get(null);
  byValue.delete(null);
  const named = inNaturalOrder([...byValue], ([value]) => value ?? '').map(([, group]) => group);
  return without === undefined ? named : [...named, without];
};

/** One of each group, round after round. */
const spread = (groups: readonly Group[], wanted: number): readonly Candidate[] => {
  const chosen: Candidate[] = [];
  for (let round = 0; chosen.length < wanted && groups.some((group) => group.length > round); round += 1) {
    for (const group of groups) chosen.push(...group.slice(round, round + 1));
  }
  return chosen.slice(0, wanted);
};

/** The largest groups, so that few are enough; the last is the smallest that has as many as are still missing. */
const pack = (groups: readonly Group[], wanted: number): readonly Candidate[] => {
  const chosen: Candidate[] = [];
  // Sorting is stable: of groups of one size, the first by value is taken.
  const left = [...groups].sort((a, b) => b.length - a.length);
  while (chosen.length < wanted && left.length > 0) {
    const missing = wanted - chosen.length;
    const enough = left.filter((group) => group.length >= missing);
    const smallest = Math.min(...enough.map((group) => group.length));
    const next = enough.find((group) => group.length === smallest) ?? left[0] ?? [];
    left.splice(left.indexOf(next), 1);
    chosen.push(...next.slice(0, missing));
  }
  return chosen;
};
