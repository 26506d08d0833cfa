import type { Times } from '../api/read-events.ts';
import { textsIn } from './search-text.ts';

/** Everything that an event is about. */
export const eventFields = [
  'type',
  'caller',
  'project',
  'node',
  'nic',
  'network',
  'switch',
  'port',
  'headnode',
  'hnic',
  'user',
] as const;

const hour = 3_600_000;

/** How far back events are shown, by name. */
export const lengths = { hour, day: 24 * hour, week: 7 * 24 * hour } as const;
export type Last = keyof typeof lengths;

const lasts: readonly Last[] = ['hour', 'day', 'week'];

/** Which events are shown, in the page's address: those of the last while, or between two times. */
export type EventsSearch = Readonly<Partial<Record<(typeof eventFields)[number] | 'from' | 'to', string>>> & {
  readonly last?: Last;
};

export const eventsSearch = (search: Record<string, unknown>): EventsSearch => {
  const last = lasts.find((each) => each === search['last']);
  const fields = textsIn(search, eventFields);
  if (last !== undefined) return { ...fields, last };
  const { from, to } = textsIn(search, ['from', 'to']);
  return { ...fields, ...timeAt('from', from), ...timeAt('to', to) };
};

/** The same time for everybody who has the link. What is no time is left out. */
const timeAt = (name: 'from' | 'to', text: string | undefined): Pick<EventsSearch, 'from' | 'to'> => {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? {} : { [name]: new Date(time).toISOString() };
};

/** Between which times events are wanted, if it is `now`. */
export const timesOf = ({ last, from, to }: EventsSearch, now: number): Times => ({
  since: last === undefined ? (from === undefined ? null : Date.parse(from)) : now - lengths[last],
  until: to === undefined ? null : Date.parse(to),
});
