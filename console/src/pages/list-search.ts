import { textsIn } from './search-text.ts';

/** What a list shows: in its address, so that a link shows the same to everybody. */
export interface ListSearch {
  readonly q?: string;
  readonly sort?: string;
}

export const listSearch = (search: Record<string, unknown>): ListSearch => textsIn(search, ['q', 'sort']);

/** A list of which one can be shown a part, by its name; the first part is all of it, and goes without saying. */
export const partSearch =
  <Part extends string>(parts: readonly [Part, ...Part[]]) =>
  (search: Record<string, unknown>): ListSearch & { readonly show?: Part } => {
    const show = parts.find((part) => part === search['show']);
    return { ...listSearch(search), ...(show === undefined || show === parts[0] ? {} : { show }) };
  };
