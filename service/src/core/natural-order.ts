/**
 * Sorts by a name as people read it: numbers in it by their value, so that `gi1/0/2` comes before `gi1/0/10`. As the SDK
 * does (`naturalOrder`), which may import nothing of the service; a test compares the two.
 */
export const inNaturalOrder = <T>(things: readonly T[], nameOf: (thing: T) => string): T[] =>
  things
    .map((thing) => ({ thing, parts: nameOf(thing).match(/\d+|\D+/g) ?? [] }))
    .sort((one, other) => compared(one.parts, other.parts))
    .map(({ thing }) => thing);

/** The first few of many in that order: to sort 10,000 for one takes ten times as long. */
export const firstInNaturalOrder = <T>(things: readonly T[], count: number, nameOf: (thing: T) => string): T[] => {
  const first: { readonly thing: T; readonly parts: readonly string[] }[] = [];
  for (const thing of things) {
    const parts = nameOf(thing).match(/\d+|\D+/g) ?? [];
    const last = first.length < count ? undefined : first.at(-1);
    if (last && compared(last.parts, parts) <= 0) continue;
    const at = first.findIndex((other) => compared(parts, other.parts) < 0);
    first.splice(at < 0 ? first.length : at, 0, { thing, parts });
    if (first.length > count) first.pop();
  }
  return first.map(({ thing }) => thing);
};

const compared = (ones: readonly string[], others: readonly string[]): number => {
  const at = ones.findIndex((part, index) => part !== others[index]);
  const [one, other] = [ones[at], others[at]];
  if (one === undefined || other === undefined) return ones.length - others.length;
  const byValue = isNumber(one) && isNumber(other) ? comparedNumbers(digitsOf(one), digitsOf(other)) : 0;
  if (byValue !== 0) return byValue;
  return one < other ? -1 : 1;
};

const isNumber = (part: string): boolean => /^\d/.test(part);
const digitsOf = (part: string): string => part.replace(/^0+/, '');

/** As texts, because a name can have more digits than a number. */
const comparedNumbers = (one: string, other: string): number => {
  if (one.length !== other.length) return one.length - other.length;
  if (one === other) return 0;
  return one < other ? -1 : 1;
};
