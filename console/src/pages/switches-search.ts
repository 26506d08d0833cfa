import type { SwitchOverview } from '../api/client.ts';
import { isTrouble } from '../ui/switch-state.ts';
import { partSearch } from './list-search.ts';

export const shown = ['all', 'silent', 'doubtful'] as const;
export type Shown = (typeof shown)[number];

/** What the list of switches shows. */
export const switchesSearch = partSearch(shown);
export type SwitchesSearch = ReturnType<typeof switchesSearch>;

export const isShown = ({ state, drifting, suspect }: SwitchOverview, show: Shown): boolean => {
  if (show === 'all') return true;
  return show === 'silent' ? isTrouble(state) : drifting + suspect > 0;
};
