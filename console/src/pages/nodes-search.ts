import type { NodeOverview } from '../api/client.ts';
import type { NodeState } from '../ui/node-state.ts';
import { textsIn } from './search-text.ts';

/** A row: a node, or only the name of one that belongs to others. */
export interface NodeRow {
  readonly name: string;
  readonly node: NodeOverview | null;
  readonly state: NodeState;
}

/** What the list of nodes shows: in its address, so that a link shows the same to everybody. */
export interface NodesSearch {
  readonly q?: string;
  readonly show?: Shown;
  readonly project?: string;
  readonly sort?: string;
  /** By what rows are grouped: `project`, `state`, or `metadata.LABEL`. */
  readonly group?: string;
}

export const shown = ['all', 'free', 'mine', 'used', 'blocked', 'changing'] as const;
export type Shown = (typeof shown)[number];

export const nodesSearch = (search: Record<string, unknown>): NodesSearch => {
  const show = shown.find((each) => each === search['show']);
  return {
    ...textsIn(search, ['q', 'project', 'sort', 'group']),
    ...(show === undefined || show === 'all' ? {} : { show }),
  };
};
