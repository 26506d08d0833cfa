import { textsIn } from './search-text.ts';

/** The two projects, in the address. */
export interface IsolationSearch {
  readonly a?: string;
  readonly b?: string;
}

export const isolationSearch = (search: Record<string, unknown>): IsolationSearch => textsIn(search, ['a', 'b']);
