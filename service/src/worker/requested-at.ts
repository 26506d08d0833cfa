import { Cache } from '@corral/base/cache';

/** Actions whose time lies in the future, and when this process saw them first. Few: the clock has to be set for one. */
const firstSeen = new Cache<string, number>({ most: 1_000 });

/**
 * When an action was asked for. One that was asked for in the future, because the clock has been set back since, or that
 * of another machine is ahead, counts from when it was seen first: otherwise its budget would not begin before then.
 */
export const requestedAt = (statusId: string, createdAt: number, now: number): number => {
  if (createdAt <= now) return createdAt;
  const seen = firstSeen.get(statusId);
  if (seen !== undefined) return Math.min(seen, now);
  firstSeen.set(statusId, now);
  return now;
};
