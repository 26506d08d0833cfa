import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { NodeOverview } from '../api/client.ts';
import { allNodes, latestEvents } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { EventSentence } from '../ui/event-sentence.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { NetworkChip } from '../ui/network-chip.tsx';
import { isChanging, networksOf, stateOf } from '../ui/node-state.ts';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { InFlight } from './overview-actions.tsx';
import { NeedsYou } from './overview-needs.tsx';
import { Figures } from './overview-figures.tsx';
import { SetUpCards, SetUpLink } from './setup.tsx';

/** Whether anything needs the person, and what is theirs. */
export const OverviewPage = () => {
  const { admin } = useMe();
  const nodes = useQuery(allNodes).data;
  if (admin && nodes !== undefined && nodes.nodes.length + nodes.others.length === 0)
    return (
      <Page title="Overview">
        <SetUpCards />
        <JustNow />
      </Page>
    );
  return (
    <Page title="Overview">
      {admin && <SetUpLink />}
      <Figures />
      <div className="grid gap-4 xl:grid-cols-[3fr_2fr]">
        {admin ? <NeedsYou /> : <MyNodes />}
        <JustNow />
      </div>
      <InFlight />
      {admin && <MyNodes />}
    </Page>
  );
};

const mostEvents = 8;

const JustNow = () => (
  <Card
    title="Just now"
    actions={
      <Link to="/events" className="text-accent hover:underline">
        All events
      </Link>
    }
  >
    <Loaded query={useQuery(latestEvents)}>
      {({ events }) =>
        events.length === 0 ? (
          <Empty title="Nothing has happened yet" />
        ) : (
          <ul>
            {events.slice(0, mostEvents).map((event) => (
              <li
                key={event.id}
                className="grid grid-cols-[6.5rem_1fr_auto] items-center gap-2 border-b border-line px-3.5 py-2 last:border-b-0"
              >
                <span className="truncate text-dim" title={event.caller}>
                  {event.caller}
                </span>
                <EventSentence event={event} />
                <span className="text-fine text-dim">
                  <Ago at={event.at} suffix="" />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  </Card>
);

const MyNodes = () => {
  const who = useMe();
  return (
    <Card
      title="My nodes"
      actions={
        <Link to="/nodes" search={{ show: 'free' }} className="text-accent hover:underline">
          Reserve more
        </Link>
      }
    >
      <Loaded query={useQuery(allNodes)}>
        {({ nodes }) => <NodeLines nodes={nodes.filter((node) => stateOf(node, who) === 'mine')} />}
      </Loaded>
    </Card>
  );
};

const mostNodes = 12;

const NodeLines = ({ nodes }: { readonly nodes: readonly NodeOverview[] }) =>
  nodes.length === 0 ? (
    <Empty title="You have no nodes">
      <Link to="/nodes" search={{ show: 'free' }} className="text-accent underline">
        Choose some of the free ones
      </Link>
    </Empty>
  ) : (
    <>
      <ul>
        {nodes.slice(0, mostNodes).map((node) => (
          <li
            key={node.name}
            className="grid grid-cols-[minmax(7rem,1fr)_minmax(6rem,1fr)_3fr_auto] items-center gap-3 border-b border-line px-3.5 py-2 last:border-b-0"
          >
            <Link
              to="/nodes/$node"
              params={{ node: node.name }}
              className="truncate font-mono text-accent hover:underline"
            >
              {node.name}
            </Link>
            <span className="truncate text-dim">{node.project}</span>
            <span className="flex min-w-0 flex-wrap gap-1">
              {networksOf(node).map((each) => (
                <NetworkChip key={each.network} {...each} />
              ))}
            </span>
            {isChanging(node) ? <Badge tone="accent">changing</Badge> : <span />}
          </li>
        ))}
      </ul>
      {nodes.length > mostNodes && (
        <Link to="/nodes" search={{ show: 'mine' }} className="block px-3.5 py-2 text-accent hover:underline">
          All {nodes.length} of them
        </Link>
      )}
    </>
  );
