import type { Figure } from '../report.ts';

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

/** At most so many times its comparator. */
export const atMost = (what: string, measured: number, beside: number, aim: number, unit: string): Figure => ({
  what,
  measured: `${amount(measured)} ${unit}`,
  beside: `${amount(beside)} ${unit}`,
  ratio: measured / beside,
  aim: `<= ${aim}`,
  isMet: measured / beside <= aim,
});

/** Less than a limit of its own. */
export const below = (what: string, measured: number, aim: number, unit: string, beside = ''): Figure => ({
  what,
  measured: `${amount(measured)} ${unit}`,
  beside,
  ratio: null,
  aim: `< ${aim} ${unit}`,
  isMet: measured < aim,
});

/** None at all. */
export const none = (what: string, measured: number, beside: string): Figure => ({
  what,
  measured: String(measured),
  beside,
  ratio: null,
  aim: '0',
  isMet: measured === 0,
});

const amount = (value: number): string => (Math.abs(value) < 10 ? value.toFixed(1) : String(Math.round(value)));
