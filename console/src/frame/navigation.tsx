import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import {
  allHeadnodes,
  allNetworks,
  allNodes,
  allSwitches,
  allUsers,
  projectNames,
  signInMethods,
} from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { isTrouble } from '../ui/switch-state.ts';
import { Mark } from '../ui/mark.tsx';

/** The way to every page that the person may open, with how much is there. */
export const Navigation = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const { admin } = useMe();
  return (
    <>
      {isOpen && <div aria-hidden className="fixed inset-0 z-20 bg-veil md:hidden" onClick={onClose} />}
      <nav
        aria-label="Pages"
        className={`row-span-2 flex-col gap-0.5 overflow-auto border-r border-line bg-panel p-2.5 max-md:fixed max-md:inset-y-0 max-md:left-0 max-md:z-30 max-md:w-60 md:flex ${isOpen ? 'flex' : 'hidden'}`}
        onClick={onClose}
      >
        <div className="mb-2 flex items-center justify-between px-2 py-1.5">
          <Link to="/" className="flex items-center gap-2.5 text-title font-bold">
            <Mark />
            Corral
          </Link>
          <button type="button" aria-label="Close the menu" className="p-1 text-dim md:hidden" onClick={onClose}>
            <X size={16} aria-hidden />
          </button>
        </div>
        <Item to="/" label="Overview" isExact />
        <NodesItem />
        <Item to="/claims" label="Claims" />
        <Item to="/racks" label="Racks" />
        <NetworksItem />
        <HeadnodesItem />
        <Item to="/topology" label="Topology" />
        {admin && (
          <>
            <p className="mt-4 mb-1 px-2 text-fine tracking-wide text-dim uppercase">Operator</p>
            <SwitchesItem />
            <DriftItem />
            <Item to="/cleaning" label="Cleaning" />
            <ProjectsItem />
            <UsersItem />
            <Item to="/setup" label="Set-up" />
          </>
        )}
        <Item to="/events" label="Events" />
        <Item to="/quotas" label="Quotas" />
        <Item to="/subscriptions" label="Subscriptions" />
        <Item to="/usage" label="Usage" />
      </nav>
    </>
  );
};

const Item = ({
  to,
  label,
  count,
  trouble = 0,
  isExact = false,
}: {
  readonly to:
    | '/'
    | '/nodes'
    | '/claims'
    | '/racks'
    | '/networks'
    | '/headnodes'
    | '/topology'
    | '/switches'
    | '/drift'
    | '/cleaning'
    | '/setup'
    | '/projects'
    | '/users'
    | '/events'
    | '/quotas'
    | '/subscriptions'
    | '/usage';
  readonly label: string;
  readonly count?: number | undefined;
  /** How many of them need somebody. */
  readonly trouble?: number;
  readonly isExact?: boolean;
}) => (
  <Link
    to={to}
    activeOptions={{ exact: isExact, includeSearch: false }}
    className="flex h-8 items-center justify-between rounded-control px-2 hover:bg-sunken"
    activeProps={{ className: 'bg-accent-soft! font-semibold text-accent' }}
  >
    {label}
    <span className="flex items-center gap-2 text-fine text-dim">
      {trouble > 0 && (
        <span
          className="rounded-full bg-warn-soft px-1.5 font-bold text-warn"
          title={`${trouble} ${trouble === 1 ? 'needs' : 'need'} attention`}
        >
          {trouble}
          <span className="sr-only"> {trouble === 1 ? 'needs' : 'need'} attention</span>
        </span>
      )}
      {trouble > 0 && count !== undefined && <span className="sr-only">of </span>}
      {count}
    </span>
  </Link>
);

const NodesItem = () => {
  const { data } = useQuery(allNodes);
  return <Item to="/nodes" label="Nodes" count={data && data.nodes.length + data.others.length} />;
};

const NetworksItem = () => <Item to="/networks" label="Networks" count={useQuery(allNetworks).data?.networks.length} />;

const HeadnodesItem = () => <Item to="/headnodes" label="Headnodes" count={useQuery(allHeadnodes).data?.length} />;

const SwitchesItem = () => {
  const { data } = useQuery(allSwitches);
  const trouble = data?.switches.filter(
    ({ state, drifting, suspect }) => isTrouble(state) || drifting > 0 || suspect > 0,
  ).length;
  return <Item to="/switches" label="Switches" count={data?.switches.length} trouble={trouble ?? 0} />;
};

const DriftItem = () => {
  const drifting = useQuery(allSwitches).data?.switches.reduce((sum, each) => sum + each.drifting, 0) ?? 0;
  return <Item to="/drift" label="Drift" trouble={drifting} />;
};

const ProjectsItem = () => <Item to="/projects" label="Projects" count={useQuery(projectNames).data?.length} />;

/** Where people are of other services, there are no users here. */
const UsersItem = () => {
  const hasUsers = useQuery(signInMethods).data?.basic ?? false;
  const { data } = useQuery({ ...allUsers, enabled: hasUsers });
  return hasUsers ? <Item to="/users" label="Users" count={data?.length} /> : null;
};
