/** How many letters have to be added, left out or exchanged to make one word of another. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of one.split('').entries()) {
    const next = [index + 1];
    for (const [column, against] of other.split('').entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[column], row[column + 1], row[column]];
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === against ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** A sentence about a command that does not exist. */
export const unknownCommand = (name: string, known: readonly string[]): string => {
  const [nearest] = known
    .map((candidate) => ({ candidate, far: distance(name, candidate) }))
    .filter(({ candidate, far }) => far <= Math.max(2, candidate.length / 3) && far < candidate.length)
    .sort((one, other) => one.far - other.far);
  const shown = JSON.stringify(name.slice(0, 40));
  return nearest === undefined
    ? `unknown command ${shown}; see corral-admin help`
    : `unknown command ${shown}; did you mean ${nearest.candidate}?`;
};
