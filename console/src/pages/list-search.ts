/** What a list shows: in its address, so that a link shows the same to everybody. */
export interface ListSearch {
  readonly q?: string;
  readonly sort?: string;
}

const text = (value: unknown): string =>
  typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';

export const listSearch = (search: Record<string, unknown>): ListSearch => {
  const [q, sort] = [text(search['q']), text(search['sort'])];
  return { ...(q === '' ? {} : { q }), ...(sort === '' ? {} : { sort }) };
};
