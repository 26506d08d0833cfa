/**
 * Compares names as people read them: numbers in them by their value, so that `node-2` comes before `node-10`. The
 * service sorts ports in the same way by code of its own: the SDK takes nothing of it along.
 */
export const naturalOrder = (one: string, other: string): number => {
  const [ones, others] = [partsOf(one), partsOf(other)];
  const at = ones.findIndex((part, index) => part !== others[index]);
  const [a, b] = [ones[at], others[at]];
  if (a === undefined || b === undefined) return ones.length - others.length;
  const byValue = isNumber(a) && isNumber(b) ? comparedNumbers(digitsOf(a), digitsOf(b)) : 0;
  if (byValue !== 0) return byValue;
  return a < b ? -1 : 1;
};

const partsOf = (text: string): readonly string[] => text.match(/\d+|\D+/g) ?? [];
const isNumber = (part: string): boolean => /^\d/.test(part);
const digitsOf = (part: string): string => part.replace(/^0+/, '');

/** As texts, because a name can have more digits than a number. */
const comparedNumbers = (one: string, other: string): number => {
  if (one.length !== other.length) return one.length - other.length;
  if (one === other) return 0;
  return one < other ? -1 : 1;
};
