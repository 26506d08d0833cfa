import { textsIn } from './search-text.ts';

/** What the topology shows: in its address, so that a link shows the same to everybody. */
export interface TopologySearch {
  readonly q?: string;
  /** Only what this project has and may use. */
  readonly project?: string;
  /** Everything that this network touches stands out. */
  readonly network?: string;
}

export const topologySearch = (search: Record<string, unknown>): TopologySearch =>
  textsIn(search, ['q', 'project', 'network']);
