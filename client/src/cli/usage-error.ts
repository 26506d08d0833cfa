/** A mistake on the command line, with what to do about it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Somebody pressed Ctrl-C. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** Work that was stopped on its way: why, the exit code that says so, and what to do now. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly code: number;
  readonly hint: string | null;

  constructor(message: string, { code, hint }: { readonly code: number; readonly hint: string | null }) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** The word that was probably meant: at most a third of it is different. */
export const nearest = (word: string, words: readonly string[]): string | null => {
  const [best] = words
    .map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : null;
};

/** How many letters have to be added, removed, changed or swapped with their neighbour. */
const distanceOf = (a: string, b: string): number => {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, changed, swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
};
