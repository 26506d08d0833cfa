/** The value that this share of them does not exceed. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = Number.NaN, high = low] = sorted.slice(
    Math.ceil(sorted.length / 2) - 1,
    Math.floor(sorted.length / 2) + 1,
  );
  return (low + high) / 2;
};
