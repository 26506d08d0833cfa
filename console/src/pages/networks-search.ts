import type { NetworkOverview } from '../api/client.ts';
import { partSearch } from './list-search.ts';

export const shown = ['all', 'own', 'granted', 'public'] as const;
export type Shown = (typeof shown)[number];

/** What the list of networks shows. */
export const networksSearch = partSearch(shown);
export type NetworksSearch = ReturnType<typeof networksSearch>;

export const isShown = ({ use, access }: NetworkOverview, show: Shown): boolean => {
  if (show === 'all') return true;
  return show === 'public' ? access === null : use === show;
};
