/** What an address says under a name, as text. A name that is all digits comes as a number; '' is nothing. */
const textIn = (value: unknown): string =>
  typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';

/** Those of some names under which an address says something. */
export const textsIn = <Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> => {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const text = textIn(search[name]);
    if (text !== '') found[name] = text;
  }
  return found;
};
