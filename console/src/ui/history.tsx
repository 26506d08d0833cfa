import type { CorralEvent } from '@corral/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ago } from './ago.tsx';
import { Card } from './card.tsx';
import { EventSentence } from './event-sentence.tsx';
import { Loaded } from './loaded.tsx';
import { Empty } from './states.tsx';

/** What happened last to something that has a page of its own. */
export const History = ({
  of,
  search,
  query,
}: {
  readonly of: string;
  /** What finds all its events. */
  readonly search: { readonly node: string } | { readonly headnode: string };
  readonly query: UseQueryResult<{ readonly events: readonly CorralEvent[] }>;
}) => (
  <Card
    title="History"
    actions={
      <Link to="/events" search={search} className="text-accent hover:underline">
        All events of {of}
      </Link>
    }
  >
    <Loaded query={query} rows={4}>
      {({ events }) =>
        events.length === 0 ? (
          <Empty title="Nothing that you may see has happened to it" />
        ) : (
          <ol aria-label="History">
            {events.map((event) => (
              <li
                key={event.id}
                className="flex min-h-9 flex-wrap items-center gap-x-3 border-b border-line px-3.5 py-1.5 last:border-b-0"
              >
                <span className="max-w-32 truncate font-medium" title={event.caller}>
                  {event.caller}
                </span>
                <span className="min-w-0 flex-1">
                  <EventSentence event={event} />
                </span>
                <span className="text-fine text-dim">
                  <Ago at={event.at} />
                </span>
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  </Card>
);
