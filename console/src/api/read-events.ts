import type { CorralEvent } from '@corral/client';

/** Milliseconds since 1970, both included; null: from the first event on, or up to the last. */
export interface Times {
  readonly since: number | null;
  readonly until: number | null;
}

/** Where a page of events begins: below `before`, and nothing that is wanted is below `end`. */
export interface EventPlace {
  readonly before: number | null;
  readonly end: number;
}

/** A page of events, the newest first, and where the next one begins. */
export interface EventPage {
  readonly events: readonly CorralEvent[];
  readonly next: EventPlace | null;
}

interface Answer {
  readonly events: readonly CorralEvent[];
  readonly next: number | null;
}

/** Asks for events with smaller ids than `before`: those that fit, or only the newest of all. */
export interface EventSource {
  readonly fitting: (before: number | null) => Promise<Answer>;
  readonly newest: (before: number | null) => Promise<CorralEvent | undefined>;
}

/** How many events the service looks through in one call when it compares times. */
const mostScanned = 2_000;
/** Ids follow the order of time as far as the clocks of the service's machines agree. */
const clocksMs = 3_600_000;
/** So many calls without a result, and the person is asked whether to go on. */
const mostCalls = 10;

/** Where events between two times are, by their ids: a long history is not read from its end for them. */
export const placeOf = async ({ since, until }: Times, newest: EventSource['newest']): Promise<EventPlace> => ({
  before: until === null ? null : (await idsAround(until + clocksMs, newest)).above,
  end: since === null ? 0 : (await idsAround(since - clocksMs, newest)).below,
});

/** By halving. Ids below `below` are before the time, and those from `above` on are not. */
const idsAround = async (
  time: number,
  newest: EventSource['newest'],
): Promise<{ readonly below: number; readonly above: number }> => {
  let below = 0;
  let above = ((await newest(null))?.id ?? 0) + 1;
  while (above - below > mostScanned) {
    const middle = Math.floor((below + above) / 2);
    const found = await newest(middle);
    if (found === undefined || Date.parse(found.at) < time) below = middle;
    else above = found.id;
  }
  return { below, above };
};

/** The next events that fit. Few or none does not mean that there are no more: `next` says that. */
export const readEvents = async (place: EventPlace, fitting: EventSource['fitting']): Promise<EventPage> => {
  let before = place.before;
  for (let calls = 1; ; calls += 1) {
    const { events, next } = await fitting(before);
    if (next === null || next <= place.end) return { events, next: null };
    if (events.length > 0 || calls === mostCalls) return { events, next: { before: next, end: place.end } };
    before = next;
  }
};
