/** The member of this name, if the value is an object that has it. */
export const member = (value: unknown, name: string): unknown => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found;
};

/** The member down this path. */
export const memberAt = (value: unknown, ...path: readonly string[]): unknown => path.reduce<unknown>(member, value);

/** The names and values of an object; none of anything else. */
export const membersOf = (value: unknown): readonly [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

/** The text down this path; undefined if it is missing, empty, or something else. */
export const textAt = (value: unknown, ...path: readonly string[]): string | undefined => {
  const found = memberAt(value, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
};

/** The items of a list; none of anything else. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The texts of the list down this path; null if there is no list. */
export const textsAt = (value: unknown, ...path: readonly string[]): readonly string[] | null => {
  const found = memberAt(value, ...path);
  return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : null;
};
