import {
  type Between,
  type NetworkBetween,
  type Pair,
  type SwitchBetween,
  unrecordedVlans,
} from '../ui/isolation-verdict.ts';
import { headnodesOn } from '../ui/reach-summary.ts';
import { sentenceOf } from '../ui/states.tsx';
import { corral } from './client.ts';
import { fewAtOnce } from './few-at-once.ts';
import { allPages } from './pages.ts';
import { readHeadnodes } from './queries.ts';

const faultIn = (result: PromiseSettledResult<unknown> | undefined): string | null =>
  result?.status === 'rejected' ? sentenceOf(result.reason as Error) : null;

const valueIn = <T>(result: PromiseSettledResult<T> | undefined): T | null =>
  result?.status === 'fulfilled' ? result.value : null;

/**
 * Reads all switches, then the reach of every network that one of two projects may use, has something on, or carries
 * without a record. `tell` hears how far it is.
 */
export const readBetween = async (projects: Pair, tell: (progress: string) => void): Promise<Between> => {
  tell('Waiting for all switches to be read.');
  const switches = await readSwitches();
  const [{ networks }, headnodes, recorded] = await Promise.all([
    corral.networksOverview({}),
    readHeadnodes(),
    Promise.all(projects.map(networksOfNodes)),
  ]);
  const ofTheirs = headnodes.filter(({ project }) => projects.includes(project));
  const used = new Set([...recorded.flat(), ...ofTheirs.flatMap(({ hnics }) => hnics.map(({ network }) => network))]);
  const unrecorded = unrecordedVlans(switches, projects);
  const wanted = networks.filter(
    ({ name, owner, access, network_id }) =>
      access === null ||
      used.has(name) ||
      unrecorded.has(Number(network_id)) ||
      projects.some((project) => owner === project || access.includes(project)),
  );
  let count = 0;
  const sayCount = (): void => tell(`${count} of ${wanted.length} networks compared with what the switches say.`);
  sayCount();
  const reaches = await fewAtOnce(wanted, async ({ name }) => {
    const reach = await corral.networkReach({ network: name });
    count += 1;
    sayCount();
    return reach;
  });
  return {
    projects,
    switches,
    networks: wanted.map(({ name, network_id, owner, access }, place): NetworkBetween => ({
      network: name,
      vlan: network_id,
      owner,
      access,
      reach: valueIn(reaches[place]),
      fault: faultIn(reaches[place]),
      headnodes: headnodesOn(ofTheirs, name),
    })),
  };
};

const readSwitches = async (): Promise<readonly SwitchBetween[]> => {
  const pages = await allPages((after) => corral.switchesOverview(after === undefined ? {} : { after }));
  const names = pages.flatMap(({ switches }) => switches.map(({ name }) => name));
  const read = await fewAtOnce(names, (name) => corral.switchSweep({ switch: name }));
  return names.map((name, place) => ({ switch: name, drift: valueIn(read[place]), fault: faultIn(read[place]) }));
};

/** The networks that nics of a project's nodes are on, as recorded. */
const networksOfNodes = async (project: string): Promise<readonly string[]> => {
  const pages = await allPages((after) => corral.nodesOverview(after === undefined ? { project } : { project, after }));
  return pages.flatMap(({ nodes }) =>
    nodes.flatMap(({ nics }) => nics.flatMap(({ networks }) => Object.values(networks))),
  );
};
