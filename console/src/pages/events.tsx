import type { CorralEvent } from '@corral/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { corral } from '../api/client.ts';
import { latestEvents } from '../api/queries.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { EventSentence } from '../ui/event-sentence.tsx';
import { FilterInput } from '../ui/filter-input.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../ui/states.tsx';
import { eventFields, type EventsSearch } from './events-search.ts';

const route = getRouteApi('/frame/events');

/** What happened, the newest first, as it happens. */
export const EventsPage = () => {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: Partial<EventsSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <Page title="Events">
      <Card>
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

const EventTable = ({ search }: { readonly search: EventsSearch }) => {
  const asked = Object.fromEntries(eventFields.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
  const older = useInfiniteQuery({
    queryKey: ['events', 'list', asked],
    queryFn: ({ pageParam, signal }) =>
      corral.listEvents(
        { ...asked, limit: pageSize, ...(pageParam === null ? {} : { before: String(pageParam) }) },
        { signal },
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  });
  const newest = useQuery(latestEvents).data?.events ?? [];
  if (older.error) return <Failure error={older.error} onRetry={() => void older.refetch()} />;
  if (older.data === undefined) return <Skeleton rows={10} />;
  const read = older.data.pages.flatMap(({ events }) => events);
  const last = read[0]?.id ?? 0;
  const fresh = newest.filter(
    (event) => event.id > last && eventFields.every((name) => isWanted(event, name, asked[name])),
  );
  const events = [...fresh, ...read];
  if (events.length === 0) return <Empty title="No event fits">Change the filter.</Empty>;
  return (
    <>
      <DataTable label="Events" rows={events} columns={columns} keyOf={({ id }) => String(id)} minWidth={760} />
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

const isWanted = (event: CorralEvent, name: keyof EventsSearch, wanted: string | undefined): boolean =>
  wanted === undefined || event[name] === wanted;

const columns: readonly Column<CorralEvent>[] = [
  {
    name: 'at',
    heading: 'When',
    width: '110px',
    cell: ({ at }) => (
      <span className="text-dim">
        <Ago at={at} />
      </span>
    ),
  },
  {
    name: 'caller',
    heading: 'Who',
    width: '130px',
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
