import type { CorralEvent } from '@corral/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { corral } from '../api/client.ts';
import { latestEvents } from '../api/queries.ts';
import { type EventPlace, placeOf, readEvents, type Times } from '../api/read-events.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { EventSentence } from '../ui/event-sentence.tsx';
import { FilterInput } from '../ui/filter-input.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../ui/states.tsx';
import { eventFields, eventsSearch, type EventsSearch, timesOf } from './events-search.ts';
import { EventsWhen } from './events-when.tsx';
import { textsIn } from './search-text.ts';

const route = getRouteApi('/frame/events');

/** What happened, the newest first, as it happens. */
export const EventsPage = () => {
  // The address may still have what was taken out of it.
  const search = eventsSearch(route.useSearch());
  const navigate = route.useNavigate();
  const change = (next: Partial<EventsSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <Page title="Events">
      <Card>
        <EventsWhen search={search} onChange={(next) => void navigate({ search: next, replace: true })} />
        <div className="grid grid-cols-[repeat(auto-fill,minmax(10rem,1fr))] gap-2 border-b border-line p-3">
          {eventFields.map((name) => (
            <FilterInput
              key={name}
              label={`${name.charAt(0).toUpperCase()}${name.slice(1)}`}
              value={search[name] ?? ''}
              onChange={(value) => change({ [name]: value })}
            />
          ))}
        </div>
        <EventTable search={search} />
      </Card>
    </Page>
  );
};

const pageSize = '100';

type EventFilter = Parameters<typeof corral.listEvents>[0];

const EventTable = ({ search }: { readonly search: EventsSearch }) => {
  const older = useInfiniteQuery({
    queryKey: ['events', 'list', search],
    queryFn: async ({ pageParam, signal }) => {
      const times = timesOf(search, Date.now());
      const list = (filter: EventFilter, before: number | null) =>
        corral.listEvents({ ...filter, ...(before === null ? {} : { before: String(before) }) }, { signal });
      const newest = async (before: number | null) => (await list({ limit: '1' }, before)).events[0];
      const place = pageParam ?? (await placeOf(times, newest));
      return readEvents(place, (before) => list({ ...filterOf(search, times), limit: pageSize }, before));
    },
    initialPageParam: null as EventPlace | null,
    getNextPageParam: ({ next }) => next,
  });
  const newest = useQuery(latestEvents).data?.events ?? [];
  if (older.error) return <Failure error={older.error} onRetry={() => void older.refetch()} />;
  if (older.data === undefined) return <Skeleton rows={10} />;
  const read = older.data.pages.flatMap(({ events }) => events);
  const fresh = newest.filter((event) => event.id > (read[0]?.id ?? 0) && isWanted(event, search, older.dataUpdatedAt));
  const events = [...fresh, ...read];
  return (
    <>
      {events.length > 0 ? (
        <DataTable label="Events" rows={events} columns={columns} keyOf={({ id }) => String(id)} minWidth={760} />
      ) : older.hasNextPage ? (
        <Empty title="None of the newer events fits">Look further back, or change the filter.</Empty>
      ) : (
        <Empty title="No event fits">Change the filter.</Empty>
      )}
      {older.hasNextPage && (
        <div className="border-t border-line p-3 text-center">
          <Button isBusy={older.isFetchingNextPage} onClick={() => void older.fetchNextPage()}>
            Show older ones
          </Button>
        </div>
      )}
    </>
  );
};

const filterOf = (search: EventsSearch, { since, until }: Times): EventFilter => ({
  ...textsIn(search, eventFields),
  ...(since === null ? {} : { since: String(since) }),
  ...(until === null ? {} : { until: String(until) }),
});

/** Whether an event that was heard of fits, as it was asked `then`. */
const isWanted = (event: CorralEvent, search: EventsSearch, then: number): boolean => {
  const at = Date.parse(event.at);
  const { since, until } = timesOf(search, then);
  return (
    (since === null || at >= since) &&
    (until === null || at <= until) &&
    eventFields.every((name) => search[name] === undefined || event[name] === search[name])
  );
};

const columns: readonly Column<CorralEvent>[] = [
  {
    name: 'at',
    heading: 'When',
    width: 'clamp(88px, 8vw, 110px)',
    cell: ({ at }) => (
      <span className="text-dim">
        <Ago at={at} />
      </span>
    ),
  },
  {
    name: 'caller',
    heading: 'Who',
    width: 'clamp(72px, 9vw, 130px)',
    cell: ({ caller }) => (
      <span className="truncate" title={caller}>
        {caller}
      </span>
    ),
  },
  { name: 'what', heading: 'What', cell: (event) => <EventSentence event={event} /> },
  {
    name: 'type',
    heading: 'Type',
    width: '200px',
    cell: ({ type }) => (
      <span className="truncate font-mono text-fine text-dim" title={type}>
        {type}
      </span>
    ),
  },
  {
    name: 'project',
    heading: 'Project',
    width: '120px',
    cell: ({ project }) => <span className="truncate">{project}</span>,
  },
];
