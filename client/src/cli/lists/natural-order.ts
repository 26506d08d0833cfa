/** Compares texts as people read them: numbers in them by their value, so that `node-2` comes before `node-10`. */
export const naturalOrder = (one: string, other: string): number => {
  const [ones, others] = [partsOf(one), partsOf(other)];
  for (let index = 0; index < Math.min(ones.length, others.length); index += 1) {
    const [a = '', b = ''] = [ones[index], others[index]];
    if (a === b) continue;
    // Of digits alone both are, or neither.
    const difference = /^\d/.test(a) && /^\d/.test(b) ? Number(a) - Number(b) : 0;
    if (difference !== 0) return difference;
    return a < b ? -1 : 1;
  }
  return ones.length - others.length;
};

const partsOf = (text: string): readonly string[] => text.match(/\d+|\D+/g) ?? [];
