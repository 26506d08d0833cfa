import { textsIn } from './search-text.ts';

/** Of which project a page shows something: in its address, so that a link shows the same. */
export interface ProjectSearch {
  readonly project?: string;
}

export const projectSearch = (search: Record<string, unknown>): ProjectSearch => textsIn(search, ['project']);
