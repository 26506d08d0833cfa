import { NotFoundError } from '@corral/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { corral, type Session } from '../api/client.ts';
import { mySessions } from '../api/queries.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Ago, Until } from '../ui/ago.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Loaded } from '../ui/loaded.tsx';

/** Where one is signed in. */
export const Sessions = () => {
  const [ending, setEnding] = useState<readonly Session[] | null>(null);
  const query = useQuery(mySessions);
  const others = (query.data ?? []).filter(({ current }) => !current);
  return (
    <Card
      title="Sessions"
      actions={
        <Button unless={others.length === 0 ? 'There are no others' : null} onClick={() => setEnding(others)}>
          End all others…
        </Button>
      }
    >
      <Loaded query={query} rows={2}>
        {(sessions) => (
          <DataTable
            label="Sessions"
            rows={sessions}
            columns={columnsWith((session) => setEnding([session]))}
            keyOf={({ session }) => session}
            minWidth={760}
          />
        )}
      </Loaded>
      {ending !== null && <EndSessions sessions={ending} onClose={() => setEnding(null)} />}
    </Card>
  );
};

const columnsWith = (onEnd: (session: Session) => void): readonly Column<Session>[] => [
  {
    name: 'browser',
    heading: 'Browser',
    cell: ({ agent, current }) => (
      <>
        <span className="truncate" title={agent}>
          {browserOf(agent)}
        </span>
        {current && <Badge tone="accent">this one</Badge>}
      </>
    ),
  },
  {
    name: 'address',
    heading: 'From',
    width: '18%',
    cell: ({ address }) => (
      <span className="truncate font-mono" title={address}>
        {address}
      </span>
    ),
  },
  { name: 'made', heading: 'Signed in', width: '110px', cell: ({ made_at }) => <Ago at={made_at} /> },
  { name: 'seen', heading: 'Last seen', width: '110px', cell: ({ seen_at }) => <Ago at={seen_at} /> },
  { name: 'until', heading: 'Ends', width: '90px', cell: ({ expires_at }) => <Until at={expires_at} /> },
  {
    name: 'actions',
    heading: 'Actions',
    hidesHeading: true,
    width: '100px',
    cell: (session) =>
      !session.current && (
        <Button
          look="quiet"
          className="ml-auto h-7!"
          aria-label={`End the session of ${browserOf(session.agent)} from ${session.address}…`}
          onClick={() => onEnd(session)}
        >
          End…
        </Button>
      ),
  },
];

const browsers = [
  ['Firefox', /Firefox\//],
  ['Edge', /Edg\//],
  ['Chrome', /Chrome\//],
  ['Safari', /Safari\//],
] as const;
const systems = [
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
] as const;

/** What a browser calls itself, in short; all of it is on hover. */
const browserOf = (agent: string): string => {
  const [browser, system] = [browsers, systems].map((known) => known.find(([, sign]) => sign.test(agent))?.[0]);
  if (browser === undefined) return agent || 'unknown';
  return system === undefined ? browser : `${browser} on ${system}`;
};

/** One that has ended meanwhile is what was wanted. */
const unlessItIsOver = (error: unknown): void => {
  if (!(error instanceof NotFoundError)) throw error;
};

const EndSessions = ({
  sessions,
  onClose,
}: {
  readonly sessions: readonly Session[];
  readonly onClose: () => void;
}) => {
  const [only] = sessions;
  const ids = sessions.map(({ session }) => session);
  return (
    <ActionDialog
      title={sessions.length === 1 ? 'End a session' : `End ${sessions.length} sessions`}
      label={sessions.length === 1 ? 'End session' : `End ${sessions.length} sessions`}
      look="danger"
      command={ids.map((session) => commandOf('session', 'end', session)).join(' && ')}
      run={async () => {
        for (const session of ids) await corral.sessionEnd({ session }).catch(unlessItIsOver);
      }}
      stale={['sessions']}
      onClose={onClose}
    >
      <p>
        {sessions.length === 1 && only !== undefined
          ? `${browserOf(only.agent)} from ${only.address} is signed out at once.`
          : 'Every browser but this one is signed out at once.'}{' '}
        What was begun there and not sent is lost; what was sent goes on.
      </p>
    </ActionDialog>
  );
};
