/** The two projects, in the address. */
export interface IsolationSearch {
  readonly a?: string;
  readonly b?: string;
}

/** A project may have a number for a name. */
const text = (value: unknown): string =>
  typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';

export const isolationSearch = (search: Record<string, unknown>): IsolationSearch => {
  const [a, b] = [text(search['a']), text(search['b'])];
  return { ...(a === '' ? {} : { a }), ...(b === '' ? {} : { b }) };
};
