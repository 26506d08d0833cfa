import { textsIn } from './search-text.ts';

/** By what hours are added up. */
export const usageBy = ['project', 'class', 'node'] as const;
export type UsageBy = (typeof usageBy)[number];

/** Parts of the past that have a name; this month goes without saying. */
const pasts = ['last-month', 'year'] as const;
export type Past = 'month' | (typeof pasts)[number] | 'between';

/** What is shown of the past: a named part, or the days from one to before another, in UTC. */
export interface UsageSearch {
  readonly by?: UsageBy;
  readonly past?: (typeof pasts)[number];
  readonly from?: string;
  readonly to?: string;
  readonly sort?: string;
}

export const usageSearch = (search: Record<string, unknown>): UsageSearch => {
  const by = usageBy.find((each) => each === search['by']);
  const past = pasts.find((each) => each === search['past']);
  const { from, to, sort } = textsIn(search, ['from', 'to', 'sort']);
  return {
    ...(by === undefined || by === 'project' ? {} : { by }),
    ...(past === undefined ? { ...dayAt('from', from), ...dayAt('to', to) } : { past }),
    ...(sort === undefined ? {} : { sort }),
  };
};

/** A day such as 2026-01-31; what is none is left out. */
const dayAt = (name: 'from' | 'to', text = ''): Pick<UsageSearch, 'from' | 'to'> =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? { [name]: text } : {};

export const pastOf = ({ past, from, to }: UsageSearch): Past =>
  past ?? (from === undefined && to === undefined ? 'month' : 'between');

/** The times of a search as the interface takes them, if it is `now`. Nothing: from the beginning of this month to now. */
export const usageTimes = ({ past, from, to }: UsageSearch, now: number): { from?: string; to?: string } => {
  const today = new Date(now);
  if (past === 'year') return { from: `${today.getUTCFullYear()}-01-01` };
  if (past === 'last-month')
    return { from: firstDay(today.getUTCFullYear(), today.getUTCMonth() - 1), to: thisMonth(now) };
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
};

/** The first day of the month that it is. */
export const thisMonth = (now: number): string => {
  const today = new Date(now);
  return firstDay(today.getUTCFullYear(), today.getUTCMonth());
};

const firstDay = (year: number, month: number): string => new Date(Date.UTC(year, month)).toISOString().slice(0, 10);
