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

/** The items of a list; none of anything else. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
