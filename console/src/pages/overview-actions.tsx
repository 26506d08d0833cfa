import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { pendingActions } from '../api/queries.ts';
import type { PendingAction } from '../api/client.ts';
import { Ago } from '../ui/ago.tsx';
import { Card } from '../ui/card.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { NetworkChip } from '../ui/network-chip.tsx';
import { Empty } from '../ui/states.tsx';

const mostShown = 12;

/** Changes of networks that no switch has carried out yet, the oldest first: what, whose, and why it waits. */
export const InFlight = () => (
  <Card title="Changes in flight">
    <Loaded query={useQuery(pendingActions)} rows={2}>
      {({ actions, next }) =>
        actions.length === 0 ? (
          <Empty title="Nothing waits for a switch" />
        ) : (
          <ul aria-label="Changes in flight">
            {actions.slice(0, mostShown).map((action) => (
              <ActionLine key={action.status_id} action={action} />
            ))}
            {(actions.length > mostShown || next !== null) && (
              <li className="px-3.5 py-2">
                <Link to="/nodes" search={{ show: 'changing' }} className="text-accent hover:underline">
                  All nodes that change
                </Link>
              </li>
            )}
          </ul>
        )
      }
    </Loaded>
  </Card>
);

const ActionLine = ({ action }: { readonly action: PendingAction }) => {
  const { node, nic, network, project, since, type } = action;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3.5 py-2 last:border-b-0">
      <span className="w-16 text-fine text-dim">
        <Ago at={since} suffix="" />
      </span>
      <span className="flex flex-wrap items-center gap-x-1">
        {type === 'revert_port' ? 'put back' : network === null ? 'detach' : 'connect'}
        <Link to="/nodes/$node" params={{ node }} className="font-mono text-accent hover:underline">
          {node}
        </Link>
        <span className="font-mono">{nic}</span>
        {network !== null && (
          <>
            to <NetworkChip network={network} channel={action.channel} />
          </>
        )}
      </span>
      <span className="text-dim">{project === null ? 'no project' : `project ${project}`}</span>
      <Why action={action} />
    </li>
  );
};

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

const Why = ({ action: { switch_answers, attempts, switch: on, port } }: { readonly action: PendingAction }) => (
  <span className={switch_answers ? 'text-dim' : 'text-warn'}>
    {on === undefined ? (
      'its switch'
    ) : (
      <Link
        to="/switches/$switch"
        params={{ switch: on }}
        search={port === undefined ? {} : { port }}
        className="font-mono underline"
      >
        {on}
      </Link>
    )}{' '}
    {switch_answers
      ? attempts === 0
        ? 'is about to make it'
        : `has refused it ${times(attempts)}; it is tried again`
      : `does not answer${attempts === 0 ? '' : `, tried ${times(attempts)}`}; it is tried again`}
  </span>
);
