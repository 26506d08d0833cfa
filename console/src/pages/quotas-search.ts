import type { ListSearch } from './list-search.ts';
import { textsIn } from './search-text.ts';

/** Whose quotas are shown: those of one project, or all. */
export interface QuotasSearch extends ListSearch {
  readonly project?: string;
}

export const quotasSearch = (search: Record<string, unknown>): QuotasSearch =>
  textsIn(search, ['project', 'q', 'sort']);
