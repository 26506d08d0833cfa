import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Cleaning } from '../api/client.ts';
import { cleaningBoard, type CleaningColumn } from '../api/queries.ts';
import { Ago } from '../ui/ago.tsx';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { ForAdministrators } from '../ui/for-administrators.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { CleaningsOfNode } from './cleaning-details.tsx';

const route = getRouteApi('/frame/cleaning');

/** What nodes go through between two projects, and which of them need somebody. */
export const CleaningPage = () => (
  <ForAdministrators title="Cleaning">
    <Board />
  </ForAdministrators>
);

const Board = () => {
  const { node, cleaning } = route.useSearch();
  return (
    <Page title="Cleaning">
      {node !== undefined && <CleaningsOfNode key={node} node={node} chosen={cleaning} />}
      <Loaded query={useQuery(cleaningBoard)} rows={8}>
        {({ enabled, columns }) => (
          <>
            {!enabled && <GateIsOff hasOpen={columns.some(isOpen)} />}
            <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 md:grid-cols-2 xl:grid-cols-3">
              {columns.filter(isShown).map((column) => (
                <Column key={column.state} column={column} />
              ))}
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
};

const isOpen = ({ state, cleanings }: CleaningColumn): boolean => state !== 'passed' && cleanings.length > 0;

/** Few installations have a maintenance service. */
const isShown = ({ state, cleanings }: CleaningColumn): boolean => state !== 'maintenance' || cleanings.length > 0;

const GateIsOff = ({ hasOpen }: { readonly hasOpen: boolean }) => (
  <Card title="Nodes are not cleaned between projects">
    <div className="grid gap-3 p-3.5">
      <p>
        The setting <code className="font-mono">cleaning.enabled</code> is off: a node that leaves a project is free at
        once, and may still run what its last tenant started. To have every node turned off, its ports read and its BMC
        taken back first, write this into the configuration of the service and restart it:
      </p>
      <Command text={'[cleaning]\nenabled = true'} name="the setting" />
      <p className="text-dim">
        {hasOpen
          ? 'What is below goes on in any case.'
          : 'A node can be quarantined on its page in any case, and is cleaned before it is free again.'}
      </p>
    </div>
  </Card>
);

const headings: Readonly<Record<Cleaning['state'], { readonly title: string; readonly none: string }>> = {
  failed: { title: 'Quarantined', none: 'No node is quarantined' },
  running: { title: 'Being cleaned', none: 'No node is being cleaned' },
  maintenance: { title: 'With the maintenance service', none: 'The maintenance service has no node' },
  passed: { title: 'Passed lately', none: 'No node has passed lately' },
};

const Column = ({ column: { state, cleanings, hasMore } }: { readonly column: CleaningColumn }) => {
  const { title, none } = headings[state];
  return (
    <Card
      title={title}
      actions={
        <span className="text-dim" role="status" aria-label={`${title}: how many`}>
          {state === 'passed' && hasMore ? `the last ${cleanings.length}` : `${cleanings.length}${hasMore ? '+' : ''}`}
        </span>
      }
    >
      {cleanings.length === 0 ? (
        <Empty title={none} />
      ) : (
        <ul aria-label={title} className="max-h-[60vh] overflow-auto">
          {cleanings.map((cleaning) => (
            <Item key={cleaning.cleaning} cleaning={cleaning} />
          ))}
        </ul>
      )}
    </Card>
  );
};

const Item = ({
  cleaning: { cleaning, node, project, state, reason, step, created_at, ended_at },
}: {
  readonly cleaning: Cleaning;
}) => (
  <li className="relative grid gap-0.5 border-b border-line px-3.5 py-2 last:border-b-0 hover:bg-sunken">
    <span className="flex flex-wrap items-baseline justify-between gap-x-3">
      {/* All of the item can be pressed. */}
      <Link
        to="/cleaning"
        search={{ node, cleaning }}
        className="font-mono wrap-anywhere text-accent after:absolute after:inset-0 hover:underline"
      >
        {node}
      </Link>
      <span className="text-fine text-dim">
        <Ago at={ended_at ?? created_at} />
      </span>
    </span>
    {reason !== null && <span className="wrap-anywhere">{reason}</span>}
    <span className="text-fine wrap-anywhere text-dim">
      {[
        project === null ? 'it was free' : `left project ${project}`,
        ...(step === null || state === 'passed' ? [] : [`step ${step}`]),
      ].join(' · ')}
    </span>
  </li>
);
