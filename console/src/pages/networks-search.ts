import type { NetworkOverview } from '../api/client.ts';

export const shown = ['all', 'own', 'granted', 'public'] as const;
export type Shown = (typeof shown)[number];

/** What the list of networks shows: in its address, so that a link shows the same to everybody. */
export interface NetworksSearch {
  readonly q?: string;
  readonly show?: Shown;
  readonly sort?: string;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

export const networksSearch = (search: Record<string, unknown>): NetworksSearch => {
  const q = text(search['q']);
  const sort = text(search['sort']);
  const show = shown.find((each) => each === search['show']);
  return {
    ...(q === undefined ? {} : { q }),
    ...(sort === undefined ? {} : { sort }),
    ...(show === undefined || show === 'all' ? {} : { show }),
  };
};

export const isShown = ({ use, access }: NetworkOverview, show: Shown): boolean => {
  if (show === 'all') return true;
  return show === 'public' ? access === null : use === show;
};
