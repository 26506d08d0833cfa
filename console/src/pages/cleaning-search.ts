import { textsIn } from './search-text.ts';

/** Which cleaning is shown beside the board: the newest of a node, or an older one of it. */
export interface CleaningSearch {
  readonly node?: string;
  readonly cleaning?: string;
}

export const cleaningSearch = (search: Record<string, unknown>): CleaningSearch =>
  textsIn(search, ['node', 'cleaning']);
