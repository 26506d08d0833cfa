import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { ProjectOverview } from '../api/client.ts';
import { allProjects, signInMethods } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { FilterInput } from '../ui/filter-input.tsx';
import { ForAdministrators } from '../ui/for-administrators.tsx';
import { linkLook } from '../ui/link-look.ts';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { RowMenu } from '../ui/row-menu.tsx';
import { Empty } from '../ui/states.tsx';
import type { ListSearch } from './list-search.ts';
import { type AskedOfProjects, ProjectDialogs } from './projects-dialogs.tsx';

const route = getRouteApi('/frame/projects');

/** Every project with how much it has and who may act for it. */
export const ProjectsPage = () => (
  <ForAdministrators title="Projects">
    <Projects />
  </ForAdministrators>
);

const Projects = () => {
  const [asked, setAsked] = useState<AskedOfProjects | null>(null);
  return (
    <Page
      title="Projects"
      actions={
        <>
          <Link to="/isolation" className={`${linkLook} px-3 font-medium`}>
            Prove isolation
          </Link>
          <Link to="/quotas" className={`${linkLook} px-3 font-medium`}>
            Quotas
          </Link>
          <Button look="primary" onClick={() => setAsked({ what: 'create' })}>
            Create project…
          </Button>
        </>
      }
    >
      <Card>
        <Loaded query={useQuery(allProjects)}>
          {(projects) => <ProjectTable projects={projects} onAsk={setAsked} />}
        </Loaded>
      </Card>
      {asked !== null && <ProjectDialogs asked={asked} onClose={() => setAsked(null)} />}
    </Page>
  );
};

const ProjectTable = ({
  projects,
  onAsk,
}: {
  readonly projects: readonly ProjectOverview[];
  readonly onAsk: (asked: AskedOfProjects) => void;
}) => {
  const { q = '', sort = 'project' } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: ListSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  // People of other services are put into projects there.
  const hasUsers = useQuery(signInMethods).data?.basic ?? false;
  const goTo = useNavigate();
  const columns = useMemo(() => {
    const onQuotas = (project: string): void => void goTo({ to: '/quotas', search: { project } });
    return [...figures, actionsColumn(hasUsers, onAsk, onQuotas)];
  }, [hasUsers, onAsk, goTo]);
  const wanted = q.toLowerCase();
  const found = projects.filter(({ name, members }) =>
    [name, ...(members ?? [])].some((text) => text.toLowerCase().includes(wanted)),
  );
  if (projects.length === 0)
    return (
      <Empty title="There are no projects yet">Nodes and networks belong to projects: create the first one.</Empty>
    );
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 border-b border-line p-3">
        <FilterInput label="Name, member" value={q} onChange={(text) => change({ q: text })} />
        <span className="ml-auto text-fine text-dim" role="status">
          {found.length} of {projects.length}
        </span>
      </div>
      {found.length === 0 ? (
        <Empty title="No project fits">Change the filter.</Empty>
      ) : (
        <DataTable
          label="Projects"
          rows={sorted(found, columns, sort)}
          columns={columns}
          keyOf={({ name }) => name}
          sort={sort}
          onSort={(next) => change({ sort: next })}
          minWidth={680}
        />
      )}
    </>
  );
};

const figures: readonly Column<ProjectOverview>[] = [
  {
    name: 'project',
    heading: 'Project',
    width: '26%',
    sortsBy: ({ name }) => name,
    cell: ({ name }) => (
      <span className="truncate font-mono" title={name}>
        {name}
      </span>
    ),
  },
  {
    name: 'nodes',
    heading: 'Nodes',
    width: '90px',
    sortsBy: ({ nodes }) => nodes,
    cell: ({ name, nodes }) =>
      nodes === 0 ? (
        <span className="text-dim">0</span>
      ) : (
        <Link
          to="/nodes"
          search={{ project: name }}
          aria-label={`${nodes} nodes of ${name}`}
          className="text-accent hover:underline"
        >
          {nodes}
        </Link>
      ),
  },
  {
    name: 'networks',
    heading: 'Networks',
    width: '90px',
    sortsBy: ({ networks }) => networks,
    cell: ({ networks }) => <Count of={networks} />,
  },
  {
    name: 'headnodes',
    heading: 'Headnodes',
    width: '100px',
    sortsBy: ({ headnodes }) => headnodes,
    cell: ({ headnodes }) => <Count of={headnodes} />,
  },
  {
    name: 'members',
    heading: 'Members',
    sortsBy: ({ members }) => members?.length ?? 0,
    cell: ({ members }) => {
      const names = (members ?? []).join(', ');
      return names === '' ? (
        <span className="text-dim">nobody</span>
      ) : (
        <span className="truncate" title={names}>
          {names}
        </span>
      );
    },
  },
];

const Count = ({ of }: { readonly of: number }) => <span className={of === 0 ? 'text-dim' : ''}>{of}</span>;

const actionsColumn = (
  hasUsers: boolean,
  onAsk: (asked: AskedOfProjects) => void,
  onQuotas: (project: string) => void,
): Column<ProjectOverview> => ({
  name: 'actions',
  heading: 'Actions',
  hidesHeading: true,
  width: '56px',
  cell: ({ name }) => (
    <RowMenu
      label={`Actions for ${name}`}
      actions={[
        ...(hasUsers ? [{ label: 'Members…', onChoose: () => onAsk({ what: 'members', project: name }) }] : []),
        { label: 'Quotas', onChoose: () => onQuotas(name) },
        { label: 'Delete…', isDanger: true, onChoose: () => onAsk({ what: 'delete', project: name }) },
      ]}
    />
  ),
});
