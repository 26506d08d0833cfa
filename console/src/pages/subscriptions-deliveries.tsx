import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { corral, type DeadLetter, type Subscription } from '../api/client.ts';
import { deadLettersOf } from '../api/queries.ts';
import { Ago, Until } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';
import { attemptWords } from '../ui/subscription-words.ts';
import { useAction } from '../ui/use-action.ts';

interface OfOne {
  readonly one: Subscription;
}

/** How far a subscription is, and the events that were given up, each to send once more. */
export const Deliveries = ({ one, onClose }: OfOne & { readonly onClose: () => void }) => (
  <Dialog title={`Deliveries of ${one.subscription}`} isOpen onClose={onClose}>
    <div className="grid gap-4">
      <HowFar one={one} />
      <GivenUp one={one} />
      <div className="flex min-w-0">
        <Command text={commandOf('subscription', 'dead-letters', one.subscription)} />
      </div>
    </div>
  </Dialog>
);

const HowFar = ({ one }: OfOne) => {
  const { delivered, given_up, last_at, last_result, attempts, retry_at, paused_because, lost_up_to } = one;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Delivered', `${delivered} since it was made`],
    ['Given up', String(given_up)],
    [
      'Last attempt',
      last_at === null || last_result === null ? (
        'nothing yet'
      ) : (
        <>
          {last_result}, <Ago at={last_at} />
        </>
      ),
    ],
    ...(paused_because === null ? [] : [['Paused', paused_because] as const]),
    ...(retry_at === null
      ? []
      : [
          [
            'Next attempt',
            <>
              <Until at={retry_at} />, after {attempts === 1 ? 'one that failed' : `${attempts} that failed`}
            </>,
          ] as const,
        ]),
    ...(lost_up_to === null
      ? []
      : [['Lost', `events up to ${lost_up_to} were deleted before they could be delivered`] as const]),
  ];
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
      {facts.map(([name, fact]) => (
        <div key={name} className="contents">
          <dt className="text-dim">{name}</dt>
          <dd className="wrap-anywhere">{fact}</dd>
        </div>
      ))}
    </dl>
  );
};

const GivenUp = ({ one: { subscription } }: OfOne) => (
  <section aria-label="Dead letters" className="grid gap-2">
    <h3 className="font-medium">Dead letters</h3>
    <Loaded query={useQuery(deadLettersOf(subscription))} rows={2}>
      {(letters) =>
        letters.length === 0 ? (
          <p className="text-dim">
            None. An event that is given up, because the receiver did not take it for too long, is kept here.
          </p>
        ) : (
          <ul className="max-h-72 overflow-auto rounded-card border border-line">
            {letters.map((letter) => (
              <Letter key={letter.dead_letter} subscription={subscription} letter={letter} />
            ))}
          </ul>
        )
      }
    </Loaded>
  </section>
);

const Letter = ({
  subscription,
  letter: { dead_letter, event, reason, died_at },
}: {
  readonly subscription: string;
  readonly letter: DeadLetter;
}) => {
  const queries = useQueryClient();
  const resend = useAction({
    mutationFn: () => corral.subscriptionResend({ subscription, dead_letter }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['subscriptions'] }),
  });
  return (
    <li aria-label={`Event ${event.id}`} className="grid gap-1 border-b border-line p-3 last:border-b-0">
      <div className="flex items-center justify-between gap-3">
        <span className="min-w-0 truncate font-mono" title={event.type}>
          {event.id} {event.type}
        </span>
        <Button
          className="h-7!"
          isBusy={resend.isPending}
          aria-label={`Resend event ${event.id}`}
          onClick={resend.start}
        >
          Resend
        </Button>
      </div>
      <span className="text-fine text-dim">
        {reason}; given up <Ago at={died_at} />
      </span>
      {resend.data !== undefined && <Result {...resend.data} />}
      {resend.error && (
        <p role="alert" className="text-bad">
          {sentenceOf(resend.error)}
        </p>
      )}
    </li>
  );
};

/** What the receiver did. */
export const Result = (attempt: { readonly delivered: boolean; readonly result: string }) => (
  <p role="status" className={attempt.delivered ? 'text-ok' : 'text-bad'}>
    {attemptWords(attempt)}
  </p>
);
