import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Subscription } from '../api/client.ts';
import { allSubscriptions } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { useProjects } from '../api/use-projects.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { RowMenu } from '../ui/row-menu.tsx';
import { Empty } from '../ui/states.tsx';
import { filterWords, isMail, targetWords } from '../ui/subscription-words.ts';
import { CreateSubscription } from './subscriptions-create.tsx';
import { type AskedOfSubscription, SubscriptionDialogs } from './subscriptions-dialogs.tsx';

/** Where events are sent to, and how that goes. */
export const SubscriptionsPage = () => {
  const { admin } = useMe();
  const projects = useProjects();
  const [isCreating, setCreating] = useState(false);
  const [asked, setAsked] = useState<AskedOfSubscription | null>(null);
  const query = useQuery(allSubscriptions);
  // A dialog shows it as it is now, and as it was once it is gone.
  const one = query.data?.find(({ subscription }) => subscription === asked?.one.subscription) ?? asked?.one;
  return (
    <Page
      title="Subscriptions"
      actions={
        <Button
          look="primary"
          unless={admin || projects.length > 0 ? null : 'You are in no project whose events could be sent'}
          onClick={() => setCreating(true)}
        >
          Create subscription…
        </Button>
      }
    >
      <Card>
        <Loaded query={query}>
          {(subscriptions) =>
            subscriptions.length === 0 ? (
              <Empty title="There are no subscriptions">
                A subscription posts events to a web address as they happen, signed, until the receiver takes them; or
                it mails them.{!admin && ' The operator decides where those of projects may be posted to.'}
              </Empty>
            ) : (
              <DataTable
                label="Subscriptions"
                rows={subscriptions}
                columns={[...figures, actionsColumn(setAsked)]}
                keyOf={({ subscription }) => subscription}
                minWidth={980}
              />
            )
          }
        </Loaded>
      </Card>
      {isCreating && <CreateSubscription onClose={() => setCreating(false)} />}
      {asked !== null && one !== undefined && (
        <SubscriptionDialogs asked={{ ...asked, one }} onClose={() => setAsked(null)} />
      )}
    </Page>
  );
};

const tones: Readonly<Record<Subscription['state'], Tone>> = { active: 'ok', failing: 'bad', paused: 'warn' };

const Cut = ({ text }: { readonly text: string }) => (
  <span className="truncate" title={text}>
    {text}
  </span>
);

const figures: readonly Column<Subscription>[] = [
  {
    name: 'subscription',
    heading: 'Subscription',
    width: '14%',
    cell: ({ subscription }) => (
      <span className="truncate font-mono" title={subscription}>
        {subscription}
      </span>
    ),
  },
  { name: 'target', heading: 'Goes to', cell: (one) => <Cut text={targetWords(one)} /> },
  {
    name: 'of',
    heading: 'Events of',
    width: '12%',
    cell: ({ project }) => (project === null ? <span className="text-dim">the site</span> : <Cut text={project} />),
  },
  { name: 'only', heading: 'Only', width: '16%', cell: ({ filter }) => <Cut text={filterWords(filter)} /> },
  {
    name: 'state',
    heading: 'State',
    width: '96px',
    cell: ({ state, paused_because }) => (
      <span title={paused_because ?? undefined}>
        <Badge tone={tones[state]}>{state}</Badge>
      </span>
    ),
  },
  {
    name: 'delivered',
    heading: 'Delivered',
    width: '140px',
    cell: ({ delivered, given_up }) => (
      <>
        {delivered}
        {given_up > 0 && <span className="text-bad">{given_up} given up</span>}
      </>
    ),
  },
  {
    name: 'last',
    heading: 'Last attempt',
    width: '17%',
    cell: ({ last_at, last_result }) =>
      last_at === null || last_result === null ? (
        <span className="text-dim">nothing yet</span>
      ) : (
        <>
          <Cut text={last_result} />
          <span className="text-dim">
            <Ago at={last_at} />
          </span>
        </>
      ),
  },
];

const actionsColumn = (onAsk: (asked: AskedOfSubscription) => void): Column<Subscription> => ({
  name: 'actions',
  heading: 'Actions',
  hidesHeading: true,
  width: '56px',
  cell: (one) => {
    const ask = (what: AskedOfSubscription['what']) => (): void => onAsk({ what, one });
    return (
      <RowMenu
        label={`Actions for ${one.subscription}`}
        actions={[
          { label: 'Send a test…', onChoose: ask('test') },
          { label: 'Deliveries', onChoose: ask('deliveries') },
          { label: 'Change…', onChoose: ask('change') },
          one.state === 'paused'
            ? { label: 'Resume…', onChoose: ask('resume') }
            : { label: 'Pause…', onChoose: ask('pause') },
          ...(isMail(one) ? [] : [{ label: 'Rotate secret…', onChoose: ask('rotate') }]),
          { label: 'Delete…', isDanger: true, onChoose: ask('delete') },
        ]}
      />
    );
  },
});
