import { useState } from 'react';
import { corral, type Subscription } from '../api/client.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { CheckField } from '../ui/field.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { isMail } from '../ui/subscription-words.ts';
import { ChangeSubscription } from './subscriptions-change.tsx';
import { Deliveries } from './subscriptions-deliveries.tsx';
import { ReceiverSecret } from './subscriptions-secret.tsx';
import { TestSubscription } from './subscriptions-test.tsx';

/** What was asked for, and of which subscription. */
export interface AskedOfSubscription {
  readonly what: 'test' | 'deliveries' | 'change' | 'pause' | 'resume' | 'rotate' | 'delete';
  readonly one: Subscription;
}

interface OfOne {
  readonly one: Subscription;
  readonly onClose: () => void;
}

const stale = ['subscriptions'];

export const SubscriptionDialogs = ({
  asked: { what, one },
  onClose,
}: {
  readonly asked: AskedOfSubscription;
  readonly onClose: () => void;
}) => {
  switch (what) {
    case 'test':
      return <TestSubscription one={one} onClose={onClose} />;
    case 'deliveries':
      return <Deliveries one={one} onClose={onClose} />;
    case 'change':
      return <ChangeSubscription one={one} onClose={onClose} />;
    case 'pause':
      return <Pause one={one} onClose={onClose} />;
    case 'resume':
      return <Resume one={one} onClose={onClose} />;
    case 'rotate':
      return <Rotate one={one} onClose={onClose} />;
    case 'delete':
      return <Delete one={one} onClose={onClose} />;
  }
};

const Pause = ({ one: { subscription }, onClose }: OfOne) => (
  <ActionDialog
    title={`Pause ${subscription}`}
    label="Pause"
    command={commandOf('subscription', 'pause', subscription)}
    run={() => corral.subscriptionUpdate({ subscription, paused: true })}
    stale={stale}
    onClose={onClose}
  >
    <p>Nothing is sent until it is resumed; then it goes on where it was, or skips what happened meanwhile.</p>
  </ActionDialog>
);

const Resume = ({ one: { subscription, paused_because }, onClose }: OfOne) => {
  const [skips, setSkips] = useState(false);
  return (
    <ActionDialog
      title={`Resume ${subscription}`}
      label="Resume"
      command={commandOf('subscription', 'resume', subscription, ...(skips ? ['--from-now'] : []))}
      run={() => corral.subscriptionUpdate({ subscription, paused: false, ...(skips ? { from_now: true } : {}) })}
      stale={stale}
      onClose={onClose}
    >
      {paused_because !== null && <p>Why it is paused: {paused_because}.</p>}
      <CheckField
        label="Skip what happened meanwhile"
        checked={skips}
        onChange={(event) => setSkips(event.target.checked)}
      />
    </ActionDialog>
  );
};

const Rotate = ({ one: { subscription }, onClose }: OfOne) => {
  const [made, setMade] = useState<string | null>(null);
  if (made !== null)
    return (
      <ReceiverSecret title={`${subscription} has a new secret`} secret={made} onClose={onClose}>
        <p>For a day, messages are signed with the old one too.</p>
      </ReceiverSecret>
    );
  return (
    <ActionDialog
      title={`Rotate the secret of ${subscription}`}
      label="Rotate secret"
      command={commandOf('subscription', 'rotate-secret', subscription)}
      run={async () => setMade((await corral.subscriptionRotateSecret({ subscription })).secret)}
      stale={stale}
      onDone={() => undefined}
      onClose={onClose}
    >
      <p>
        A new secret is made and shown once. For a day each message has two signatures, one by either secret, so that
        the receiver can change over at any time.
      </p>
    </ActionDialog>
  );
};

const Delete = ({ one, onClose }: OfOne) => (
  <ActionDialog
    title={`Delete subscription ${one.subscription}`}
    label={`Delete ${one.subscription}`}
    look="danger"
    command={commandOf('subscription', 'delete', one.subscription)}
    run={() => corral.subscriptionDelete({ subscription: one.subscription })}
    stale={stale}
    onClose={onClose}
  >
    <p>
      Nothing more is {isMail(one) ? 'mailed' : 'posted'} by <b>{one.subscription}</b>, and its dead letters are gone.
    </p>
  </ActionDialog>
);
