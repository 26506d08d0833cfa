import { textsIn } from './search-text.ts';

/** Whose claims are shown. */
export interface ClaimsSearch {
  readonly project?: string;
}

export const claimsSearch = (search: Record<string, unknown>): ClaimsSearch => textsIn(search, ['project']);
