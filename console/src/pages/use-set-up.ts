import { useQuery } from '@tanstack/react-query';
import { allNetworks, allNodes, allProjects, allSwitches, signInMethods } from '../api/queries.ts';

export type StepName = 'switch' | 'ports' | 'node' | 'project' | 'network' | 'reserve';

/** A step of the set-up, and what there is of it. */
export interface SetUpStep {
  readonly name: StepName;
  /** undefined: it is not known yet. */
  readonly isDone: boolean | undefined;
  /** What there is, in a few words. */
  readonly has: string;
}

const counted = (count: number | undefined, one: string, many: string): string =>
  count === undefined ? '…' : `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`;

const isSome = (count: number | undefined): boolean | undefined => (count === undefined ? undefined : count > 0);

/** How far the set-up is, from what is registered. */
export const useSetUp = (): { readonly steps: readonly SetUpStep[]; readonly firstSwitch: string | undefined } => {
  const switches = useQuery(allSwitches).data?.switches;
  const nodes = useQuery(allNodes).data?.nodes;
  const projects = useQuery(allProjects).data;
  const networks = useQuery(allNetworks).data?.networks;
  const hasUsers = useQuery(signInMethods).data?.basic;
  const ports = switches?.reduce((sum, each) => sum + each.ports, 0);
  const wired = nodes?.filter(({ nics }) => nics.some(({ port }) => typeof port === 'string')).length;
  // People of other services are put into projects there.
  const manned =
    hasUsers === undefined
      ? undefined
      : projects?.filter(({ members }) => !hasUsers || (members ?? []).length > 0).length;
  const reserved = nodes?.filter(({ project }) => project !== null).length;
  return {
    firstSwitch: (switches?.find((each) => each.ports === 0) ?? switches?.[0])?.name,
    steps: [
      { name: 'switch', isDone: isSome(switches?.length), has: counted(switches?.length, 'switch', 'switches') },
      { name: 'ports', isDone: isSome(ports), has: counted(ports, 'port', 'ports') },
      { name: 'node', isDone: isSome(wired), has: counted(wired, 'wired node', 'wired nodes') },
      {
        name: 'project',
        isDone: isSome(manned),
        has: counted(manned, 'project', 'projects') + (hasUsers === true ? ' with members' : ''),
      },
      { name: 'network', isDone: isSome(networks?.length), has: counted(networks?.length, 'network', 'networks') },
      { name: 'reserve', isDone: isSome(reserved), has: counted(reserved, 'reserved node', 'reserved nodes') },
    ],
  };
};
