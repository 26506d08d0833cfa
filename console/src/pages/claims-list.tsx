import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Claim, corral } from '../api/client.ts';
import { claimsOf } from '../api/queries.ts';
import { Ago, Until } from '../ui/ago.tsx';
import { Ask } from '../ui/ask.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { Empty, sentenceOf } from '../ui/states.tsx';
import { claimWords } from './claims-request.ts';

/** The claims of a project that wait, and those that ended lately. */
export const ClaimsOf = ({ project }: { readonly project: string }) => {
  const [sort, setSort] = useState('');
  return (
    <Loaded query={useQuery(claimsOf(project))}>
      {(claims) =>
        claims.length === 0 ? (
          <Empty title={`No claim of ${project} waits`}>
            One that has to wait is shown here, with its place in line. What has ended is shown for a week.
          </Empty>
        ) : (
          <DataTable
            label={`Claims of ${project}`}
            rows={sorted(claims, columns, sort)}
            columns={columns}
            keyOf={({ claim }) => claim}
            sort={sort}
            onSort={setSort}
            minWidth={860}
          />
        )
      }
    </Loaded>
  );
};

const tones: Readonly<Record<Claim['state'], Tone>> = {
  waiting: 'accent',
  served: 'ok',
  cancelled: 'plain',
  expired: 'warn',
  ended: 'warn',
};

const columns: readonly Column<Claim>[] = [
  {
    name: 'what',
    heading: 'Asks for',
    width: '36%',
    sortsBy: claimWords,
    cell: (claim) => <span className="py-1.5 break-words">{claimWords(claim)}</span>,
  },
  {
    name: 'state',
    heading: 'State',
    sortsBy: ({ state, place }) => `${state} ${String(place ?? 0).padStart(6, '0')}`,
    cell: ({ state, place, nodes, reason, until }) => (
      <div className="grid gap-0.5 py-1.5 break-words">
        <span className="flex flex-wrap items-center gap-x-2">
          <Badge tone={tones[state]}>{place === null ? state : `place ${place} in line`}</Badge>
          {state === 'waiting' && (
            <span className="text-dim">
              ends <Until at={until} />
            </span>
          )}
        </span>
        {reason !== null && <span className="text-dim">{sentenceOf({ message: reason })}</span>}
        {nodes.length > 0 && (
          <span className="flex flex-wrap gap-x-2">
            {nodes.map((node) => (
              <Link key={node} to="/nodes/$node" params={{ node }} className="font-mono text-accent hover:underline">
                {node}
              </Link>
            ))}
          </span>
        )}
      </div>
    ),
  },
  {
    name: 'user',
    heading: 'Made by',
    width: '120px',
    sortsBy: ({ user }) => user,
    cell: ({ user }) => (
      <span className="truncate" title={user}>
        {user}
      </span>
    ),
  },
  {
    name: 'made',
    heading: 'Made',
    width: '110px',
    sortsBy: ({ made_at }) => made_at,
    cell: ({ made_at }) => (
      <span className="text-dim">
        <Ago at={made_at} />
      </span>
    ),
  },
  {
    name: 'actions',
    heading: 'Actions',
    hidesHeading: true,
    width: '128px',
    cell: (claim) =>
      claim.state === 'waiting' ? (
        <Ask
          label="Cancel…"
          className="ml-auto h-7!"
          aria-label={`Cancel the claim of ${claimWords(claim)}`}
          look="danger"
          title="Cancel the claim?"
          verb="Cancel the claim"
          command={commandOf('claim', 'cancel', claim.claim)}
          run={() => corral.claimCancel({ claim: claim.claim })}
        >
          It loses its place in line. Nodes that it waited for go to the next.
        </Ask>
      ) : null,
  },
];
