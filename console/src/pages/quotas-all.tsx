import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Quota } from '../api/client.ts';
import { allNetworks, allProjects, allQuotas } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { FilterInput } from '../ui/filter-input.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { limitedWords } from '../ui/quota-words.ts';
import { RowMenu } from '../ui/row-menu.tsx';
import { Empty } from '../ui/states.tsx';
import { UsedOf } from '../ui/used-of.tsx';
import type { AskedOfQuotas } from './quotas-dialogs.tsx';
import { type ProjectUse, usesOf } from './quotas-rows.ts';
import type { QuotasSearch } from './quotas-search.ts';

const route = getRouteApi('/frame/quotas');

interface Asking {
  readonly onAsk: (asked: AskedOfQuotas) => void;
}

/** What holds for projects that have no limit of their own. */
export const DefaultQuotas = ({ onAsk }: Asking) => (
  <Card title="Defaults" actions={<Button onClick={() => onAsk({ what: 'add', project: null })}>Set default…</Button>}>
    <Loaded query={useQuery(allQuotas)} rows={2}>
      {(quotas) => <DefaultTable defaults={quotas.filter(({ project }) => project === null)} onAsk={onAsk} />}
    </Loaded>
  </Card>
);

const DefaultTable = ({ defaults, onAsk }: Asking & { readonly defaults: readonly Quota[] }) => {
  if (defaults.length === 0)
    return (
      <Empty title="There are no defaults">
        A project without a limit of its own may have as many nodes, networks and headnodes as there are.
      </Empty>
    );
  return (
    <>
      <DataTable label="Defaults" rows={defaults} columns={defaultColumns(onAsk)} keyOf={limitedWords} minWidth={300} />
      <p className="border-t border-line px-3.5 py-2 text-fine text-dim">
        For every project that has no limit of its own for the same. The maintenance pool has no quota.
      </p>
    </>
  );
};

const defaultColumns = (onAsk: Asking['onAsk']): readonly Column<Quota>[] => [
  {
    name: 'what',
    heading: 'What',
    cell: (quota) => (
      <span className="truncate" title={limitedWords(quota)}>
        {limitedWords(quota)}
      </span>
    ),
  },
  { name: 'limit', heading: 'At most', width: '30%', cell: ({ limit }) => limit },
  {
    name: 'actions',
    heading: 'Actions',
    hidesHeading: true,
    width: '56px',
    cell: (quota) => (
      <RowMenu
        label={`Actions for the default of ${limitedWords(quota)}`}
        actions={[
          { label: 'Change limit…', onChoose: () => onAsk({ what: 'change', quota }) },
          { label: 'Remove limit…', isDanger: true, onChoose: () => onAsk({ what: 'remove', quota }) },
        ]}
      />
    ),
  },
];

/** Every project with how much it has of that which it may have. */
export const AllQuotas = () => {
  const projects = useQuery(allProjects);
  const networks = useQuery(allNetworks);
  const quotas = useQuery(allQuotas);
  return (
    <Card title="Projects">
      <Loaded query={projects}>
        {(each) => (
          <Loaded query={networks}>
            {(known) => (
              <Loaded query={quotas}>{(limits) => <UseTable uses={usesOf(each, known.networks, limits)} />}</Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </Card>
  );
};

const UseTable = ({ uses }: { readonly uses: readonly ProjectUse[] }) => {
  const { q = '', sort = 'project' } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: QuotasSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const found = uses.filter(({ project }) => project.toLowerCase().includes(q.toLowerCase()));
  if (uses.length === 0)
    return <Empty title="There are no projects yet">Create the first one on the page of projects.</Empty>;
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 border-b border-line p-3">
        <FilterInput label="Project" value={q} onChange={(text) => change({ q: text })} />
        <span className="ml-auto text-fine text-dim" role="status">
          {found.length} of {uses.length}
        </span>
      </div>
      {found.length === 0 ? (
        <Empty title="No project fits">Change the filter.</Empty>
      ) : (
        <DataTable
          label="Use of quotas"
          rows={sorted(found, useColumns, sort)}
          columns={useColumns}
          keyOf={({ project }) => project}
          sort={sort}
          onSort={(next) => change({ sort: next })}
          minWidth={900}
        />
      )}
    </>
  );
};

const useColumns: readonly Column<ProjectUse>[] = [
  {
    name: 'project',
    heading: 'Project',
    width: '18%',
    sortsBy: ({ project }) => project,
    cell: ({ project }) => (
      <Link
        to="/quotas"
        search={{ project }}
        className="truncate font-mono text-accent hover:underline"
        title={project}
      >
        {project}
      </Link>
    ),
  },
  ...(['nodes', 'networks', 'headnodes'] as const).map((what) => ({
    name: what,
    heading: `${what.charAt(0).toUpperCase()}${what.slice(1)}`,
    sortsBy: (use: ProjectUse) => use[what].used,
    cell: (use: ProjectUse) => <UsedOf {...use[what]} />,
  })),
  {
    name: 'classes',
    heading: 'Limited classes',
    width: '16%',
    cell: ({ classes }) =>
      classes.length === 0 ? (
        <span className="text-dim">none</span>
      ) : (
        <span className="truncate" title={classes.join(', ')}>
          {classes.join(', ')}
        </span>
      ),
  },
];
