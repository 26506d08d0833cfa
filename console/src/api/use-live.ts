import { createContext, use, useSyncExternalStore } from 'react';
import type { LiveFeed, LiveState } from './live.ts';

export const LiveContext = createContext<LiveFeed | null>(null);

/** How the page learns of changes now. */
export const useLiveState = (): LiveState => {
  const feed = use(LiveContext);
  if (feed === null) throw new Error('the page has no live feed around it');
  return useSyncExternalStore(feed.subscribe, () => feed.state);
};
