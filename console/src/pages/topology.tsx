import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import type { NetworkOverview, NodeOverview } from '../api/client.ts';
import { allHeadnodes, allNetworks, allNodes, allSwitches } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { useProjects } from '../api/use-projects.ts';
import { Card } from '../ui/card.tsx';
import { FilterInput } from '../ui/filter-input.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { type Box, layOut } from './topology-layout.ts';
import { TopologyList } from './topology-list.tsx';
import { TopologyPicture } from './topology-picture.tsx';
import type { TopologySearch } from './topology-search.ts';

const route = getRouteApi('/frame/topology');

/** Switches, nodes and networks, and how they are connected: as a picture, and as a list. */
export const TopologyPage = () => {
  const { admin } = useMe();
  const networks = useQuery(allNetworks);
  const switches = useQuery({ ...allSwitches, enabled: admin });
  return (
    <Page title="Topology">
      <Loaded query={useQuery(allNodes)} rows={10}>
        {({ nodes }) => (
          <Loaded query={networks} rows={10}>
            {({ networks: known }) =>
              admin && switches.data === undefined ? (
                <Loaded query={switches} rows={10}>
                  {() => null}
                </Loaded>
              ) : (
                <Site
                  nodes={nodes}
                  networks={known}
                  switches={switches.data?.switches.map(({ name }) => name) ?? none}
                />
              )
            }
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
};

const none: readonly string[] = [];

interface SiteProps {
  readonly nodes: readonly NodeOverview[];
  readonly networks: readonly NetworkOverview[];
  readonly switches: readonly string[];
}

const Site = ({ nodes, networks, switches }: SiteProps) => {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: TopologySearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const { project, network = null } = search;
  const shownNodes = useMemo(() => nodes.filter((node) => isOf(project, node)), [nodes, project]);
  const shownNetworks = useMemo(
    () => networks.filter((each) => project === undefined || mayUse(project, each)),
    [networks, project],
  );
  // A switch is read anew every now and then; as long as its name is the same, nothing moves.
  const switchNames = switches.join('\n');
  const topology = useMemo(
    () => layOut({ nodes: shownNodes, networks: shownNetworks, switches: switchNames.split('\n').filter(Boolean) }),
    [shownNodes, shownNetworks, switchNames],
  );
  const text = useDeferredValue(search.q ?? '').toLowerCase();
  const isFound = useFinder(shownNodes, text);
  const touched = network === null ? topology.boxes : topology.boxes.filter((box) => box.networks.includes(network));
  return (
    <>
      <Card>
        <div className="flex flex-wrap items-center gap-3 border-b border-line p-3">
          <FilterInput label="Find by name or MAC address" value={search.q ?? ''} onChange={(q) => change({ q })} />
          <Choice
            label="Project"
            all="All projects"
            value={project ?? ''}
            options={useProjects()}
            onChange={(value) => change({ project: value })}
          />
          <Choice
            label="Network"
            all="No network highlighted"
            value={network ?? ''}
            options={shownNetworks.map(({ name }) => name)}
            onChange={(value) => change({ network: value })}
          />
          <Summary boxes={touched} network={network} found={isFound && topology.boxes.filter(isFound).length} />
        </div>
        {topology.boxes.length === 0 ? (
          <Empty title="There is nothing to show">No node, network or switch fits.</Empty>
        ) : (
          <TopologyPicture
            topology={topology}
            network={network}
            isFound={isFound}
            onNetwork={(name) => change({ network: name === network ? '' : name })}
          />
        )}
      </Card>
      <TopologyList nodes={shownNodes} network={network} isFound={isFound} hasSwitches={switches.length > 0} />
    </>
  );
};

const isOf = (project: string | undefined, node: NodeOverview): boolean =>
  project === undefined || node.project === project;
const mayUse = (project: string, { owner, access }: NetworkOverview): boolean =>
  owner === project || access === null || access.includes(project);

/** Whether something is what was searched for: by its name, a node also by its MAC addresses. Null: nothing was. */
const useFinder = (
  nodes: readonly NodeOverview[],
  text: string,
): ((box: Pick<Box, 'kind' | 'name'>) => boolean) | null =>
  useMemo(() => {
    if (text === '') return null;
    const byMac = new Set(
      nodes.filter(({ nics }) => nics.some(({ macaddr }) => macaddr.includes(text))).map(({ name }) => name),
    );
    return ({ kind, name }) => name.toLowerCase().includes(text) || (kind === 'node' && byMac.has(name));
  }, [nodes, text]);

const Choice = ({
  label,
  all,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly onChange: (value: string) => void;
}) => (
  <select
    aria-label={label}
    value={value}
    onChange={(event) => onChange(event.target.value)}
    className="h-8 max-w-56 min-w-0 rounded-control border border-line bg-panel px-2"
  >
    <option value="">{all}</option>
    {/* What a link names is shown as chosen, also when it is not there. */}
    {value !== '' && !options.includes(value) && <option>{value}</option>}
    {options.map((option) => (
      <option key={option}>{option}</option>
    ))}
  </select>
);

const counted = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

/** What is in the picture, or what the network touches, in words. */
const Summary = ({
  boxes,
  network,
  found,
}: {
  readonly boxes: readonly Box[];
  readonly network: string | null;
  readonly found: number | null;
}) => {
  const headnodes = useQuery(allHeadnodes).data ?? [];
  const count = (kind: Box['kind']): number => boxes.filter((box) => box.kind === kind).length;
  const onIt = headnodes.filter(({ hnics }) => hnics.some((hnic) => hnic.network === network)).length;
  const parts = [
    ...(count('switch') > 0 ? [counted(count('switch'), 'switch', 'switches')] : []),
    counted(count('node'), 'node'),
    ...(network === null ? [counted(count('network'), 'network')] : []),
    ...(network !== null && onIt > 0 ? [counted(onIt, 'headnode')] : []),
  ];
  return (
    <span role="status" aria-label="Shown" className="ml-auto text-fine text-dim">
      {network !== null && `${network} touches `}
      {parts.join(', ')}
      {found !== null && `; ${found} found`}
    </span>
  );
};
