import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Release } from '../api/client.ts';
import { releasesOf } from '../api/queries.ts';
import { useProjects } from '../api/use-projects.ts';
import { Ago } from '../ui/ago.tsx';
import { Card } from '../ui/card.tsx';
import { ChoiceField, onlyOne } from '../ui/choice-field.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { ReleaseProgress } from '../ui/release-progress.tsx';
import { Empty } from '../ui/states.tsx';

const route = getRouteApi('/frame/releases');

/** What is being given back, and what was in the last week. */
export const ReleasesPage = () => {
  const projects = useProjects();
  const { project = onlyOne(projects) } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title="Releases">
      <Card>
        {projects.length > 1 && (
          <div className="border-b border-line p-3">
            <div className="max-w-xs">
              <ChoiceField
                label="Of project"
                options={projects}
                value={project}
                onChange={(next) => void navigate({ search: { project: next }, replace: true })}
              />
            </div>
          </div>
        )}
        {project !== '' ? (
          <ReleasesOf key={project} project={project} />
        ) : projects.length === 0 ? (
          <Empty title="You are in no project">Nodes are given back by the project that has them.</Empty>
        ) : (
          <Empty title="Choose a project">Nodes are given back by the project that has them.</Empty>
        )}
      </Card>
    </Page>
  );
};

const ReleasesOf = ({ project }: { readonly project: string }) => {
  const [sort, setSort] = useState('');
  return (
    <Loaded query={useQuery(releasesOf(project))}>
      {(releases) =>
        releases.length === 0 ? (
          <Empty title={`Nothing of ${project} was given back lately`}>
            <Link to="/nodes" search={{ project }} className="text-accent underline">
              Choose nodes
            </Link>{' '}
            to release them. What has ended is shown for a week.
          </Empty>
        ) : (
          <DataTable
            label={`Releases of ${project}`}
            rows={sorted(releases, columns, sort)}
            columns={columns}
            keyOf={({ release }) => release}
            sort={sort}
            onSort={setSort}
            minWidth={760}
          />
        )
      }
    </Loaded>
  );
};

const columns: readonly Column<Release>[] = [
  {
    name: 'node',
    heading: 'Node',
    width: '16%',
    sortsBy: ({ node }) => node,
    cell: ({ node }) => (
      <Link to="/nodes/$node" params={{ node }} className="truncate font-mono text-accent hover:underline" title={node}>
        {node}
      </Link>
    ),
  },
  {
    name: 'state',
    heading: 'How far it is',
    sortsBy: ({ state, step }) => `${state} ${step}`,
    cell: (release) => (
      <div className="py-1.5">
        <ReleaseProgress release={release} />
      </div>
    ),
  },
  {
    name: 'caller',
    heading: 'Asked for by',
    width: '14%',
    sortsBy: ({ caller }) => caller,
    cell: ({ caller }) => (
      <span className="truncate" title={caller}>
        {caller}
      </span>
    ),
  },
  {
    name: 'started',
    heading: 'Begun',
    width: '110px',
    sortsBy: ({ started_at }) => started_at,
    cell: ({ started_at }) => (
      <span className="text-dim">
        <Ago at={started_at} />
      </span>
    ),
  },
  {
    name: 'ended',
    heading: 'Ended',
    width: '110px',
    sortsBy: ({ ended_at }) => ended_at ?? '',
    cell: ({ ended_at }) => <span className="text-dim">{ended_at === null ? '–' : <Ago at={ended_at} />}</span>,
  },
];
