import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import type { HeadnodeOverview } from '../api/client.ts';
import { allHeadnodes, headnodeImages } from '../api/queries.ts';
import { useProjects } from '../api/use-projects.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { FilterInput } from '../ui/filter-input.tsx';
import { HeadnodeBadge } from '../ui/headnode-badge.tsx';
import { headnodeStateOf } from '../ui/headnode-state.ts';
import { Loaded } from '../ui/loaded.tsx';
import { NetworkChip } from '../ui/network-chip.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { CreateHeadnode } from './headnodes-create.tsx';
import type { ListSearch } from './list-search.ts';

const route = getRouteApi('/frame/headnodes');

/** As the service refuses to create one. */
const noImages = 'No headnode can be created here: no image is installed (settings "hypervisor" and "images")';

/** Every headnode of the person's projects. */
export const HeadnodesPage = () => {
  const projects = useProjects();
  const images = useQuery(headnodeImages).data;
  const [isCreating, setCreating] = useState(false);
  const refusal =
    projects.length === 0
      ? 'A headnode belongs to a project, and you are in none'
      : images?.length === 0
        ? noImages
        : null;
  return (
    <Page
      title="Headnodes"
      actions={
        <Button look="primary" unless={refusal} onClick={() => setCreating(true)}>
          Create a headnode…
        </Button>
      }
    >
      <Card>
        <Loaded query={useQuery(allHeadnodes)}>
          {(headnodes) => <HeadnodeTable headnodes={headnodes} refusal={refusal} />}
        </Loaded>
      </Card>
      {isCreating && <CreateHeadnode projects={projects} onClose={() => setCreating(false)} />}
    </Page>
  );
};

const HeadnodeTable = ({
  headnodes,
  refusal,
}: {
  readonly headnodes: readonly HeadnodeOverview[];
  readonly refusal: string | null;
}) => {
  const { q = '', sort = 'headnode' } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: ListSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const wanted = useDeferredValue(q).toLowerCase().split(/\s+/);
  if (headnodes.length === 0)
    return (
      <Empty title="There are no headnodes yet">
        {refusal ?? 'A headnode is a virtual machine on networks of your project, to work on your nodes from.'}
      </Empty>
    );
  const found = headnodes.filter((headnode) => {
    const words = wordsOf(headnode);
    return wanted.every((word) => words.includes(word));
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 border-b border-line p-3">
        <FilterInput label="Name, project, network" value={q} onChange={(text) => change({ q: text })} />
        <span className="ml-auto text-fine text-dim" role="status">
          {found.length} of {headnodes.length}
        </span>
      </div>
      {found.length === 0 ? (
        <Empty title="No headnode fits">Change the filter.</Empty>
      ) : (
        <DataTable
          label="Headnodes"
          rows={sorted(found, columns, sort)}
          columns={columns}
          keyOf={({ name }) => name}
          sort={sort}
          onSort={(next) => change({ sort: next })}
          minWidth={720}
        />
      )}
    </>
  );
};

const networksOf = ({ hnics }: HeadnodeOverview): readonly string[] => [
  ...new Set(hnics.flatMap(({ network }) => network ?? [])),
];

const wordsOf = (headnode: HeadnodeOverview): string =>
  [headnode.name, headnode.project, headnode.base_img, headnodeStateOf(headnode), ...networksOf(headnode)]
    .join(' ')
    .toLowerCase();

const columns: readonly Column<HeadnodeOverview>[] = [
  {
    name: 'headnode',
    heading: 'Headnode',
    width: '26%',
    sortsBy: ({ name }) => name,
    cell: ({ name }) => (
      <Link
        to="/headnodes/$headnode"
        params={{ headnode: name }}
        title={name}
        className="truncate font-mono text-accent hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    name: 'state',
    heading: 'State',
    width: '130px',
    sortsBy: headnodeStateOf,
    cell: (headnode) => <HeadnodeBadge headnode={headnode} />,
  },
  {
    name: 'project',
    heading: 'Project',
    width: '18%',
    sortsBy: ({ project }) => project,
    cell: ({ project }) => (
      <span className="truncate" title={project}>
        {project}
      </span>
    ),
  },
  {
    name: 'networks',
    heading: 'Networks',
    sortsBy: (headnode) => networksOf(headnode).join(' '),
    cell: (headnode) => networksOf(headnode).map((network) => <NetworkChip key={network} network={network} />),
  },
  {
    name: 'image',
    heading: 'Image',
    width: '16%',
    sortsBy: ({ base_img }) => base_img,
    cell: ({ base_img }) => (
      <span className="truncate font-mono text-fine" title={base_img}>
        {base_img}
      </span>
    ),
  },
];
