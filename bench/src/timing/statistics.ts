/** How two samples of times differ. */
export interface Difference {
  /** The chance that one of the first takes longer than one of the second; 0.5: nobody can tell them apart. */
  readonly chance: number;
  /** How likely a difference of this size is by mere chance (Mann-Whitney, two-sided). */
  readonly p: number;
  /** How much of the two distributions is in common, from 0 to 1. */
  readonly overlap: number;
}

const bins = 20;

export const compare = (first: readonly number[], second: readonly number[]): Difference => {
  const ranked = [...first.map((ms) => ({ ms, one: 1 })), ...second.map((ms) => ({ ms, one: 0 }))].sort(
    (a, b) => a.ms - b.ms,
  );
  const rankSum = ranked.reduce((sum, { one }, index) => sum + one * (index + 1), 0);
  const pairs = first.length * second.length;
  const larger = rankSum - (first.length * (first.length + 1)) / 2;
  const deviation = Math.sqrt((pairs * (first.length + second.length + 1)) / 12);
  const z = Math.abs(larger - pairs / 2) / deviation;
  return { chance: larger / pairs, p: 2 * (1 - normal(z)), overlap: overlapOf(first, second) };
};

/** The share of the standard normal distribution below z (Abramowitz and Stegun 26.2.17). */
const normal = (z: number): number => {
  const t = 1 / (1 + 0.2316419 * z);
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail;
};

/** In bins that hold equally many of both together: a long tail does not hide a difference in the middle. */
const overlapOf = (first: readonly number[], second: readonly number[]): number => {
  const all = [...first, ...second].sort((a, b) => a - b);
  const edges = Array.from({ length: bins - 1 }, (_, index) => all[Math.floor(((index + 1) * all.length) / bins)] ?? 0);
  const sharesOf = (values: readonly number[]): number[] => {
    const shares = Array.from({ length: bins }, () => 0);
    for (const value of values) {
      const bin = edges.findIndex((edge) => value < edge);
      const at = bin < 0 ? bins - 1 : bin;
      shares[at] = (shares[at] ?? 0) + 1 / values.length;
    }
    return shares;
  };
  const other = sharesOf(second);
  return sharesOf(first).reduce((sum, share, index) => sum + Math.min(share, other[index] ?? 0), 0);
};
