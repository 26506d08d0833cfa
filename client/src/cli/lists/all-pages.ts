import type { Calls, Corral } from '../../index.ts';

/** A node as the service lists it. */
export type NodeOverview = Calls['nodesOverview']['reply']['nodes'][number];

/** Every page of nodes, as one answer. Events are followed from the first page on. */
export const allNodes = async (
  corral: Corral,
  query: Omit<Calls['nodesOverview']['args'], 'after' | 'limit'>,
): Promise<Omit<Calls['nodesOverview']['reply'], 'next'>> => {
  const pages = await everyPage((page) => corral.nodesOverview({ ...query, ...page }));
  return {
    event: pages.event,
    nodes: pages.all.flatMap(({ nodes }) => nodes),
    others: pages.all.flatMap(({ others }) => others),
  };
};

/** Every page of switches, as one answer. */
export const allSwitches = async (corral: Corral): Promise<Omit<Calls['switchesOverview']['reply'], 'next'>> => {
  const { event, all } = await everyPage((page) => corral.switchesOverview(page));
  return { event, switches: all.flatMap(({ switches }) => switches) };
};

/** Every page of headnodes, as one answer. */
export const allHeadnodes = async (
  corral: Corral,
  query: Omit<Calls['headnodesOverview']['args'], 'after' | 'limit'>,
): Promise<Omit<Calls['headnodesOverview']['reply'], 'next'>> => {
  const { event, all } = await everyPage((page) => corral.headnodesOverview({ ...query, ...page }));
  return { event, headnodes: all.flatMap(({ headnodes }) => headnodes) };
};

/** Every page of projects, as one answer. */
export const allProjects = async (corral: Corral): Promise<Omit<Calls['projectsOverview']['reply'], 'next'>> => {
  const { event, all } = await everyPage((page) => corral.projectsOverview(page));
  return { event, projects: all.flatMap(({ projects }) => projects) };
};

/** Every page of queued changes, as one answer. */
export const allActions = async (corral: Corral): Promise<Omit<Calls['actionsOverview']['reply'], 'next'>> => {
  const { event, all } = await everyPage((page) => corral.actionsOverview(page));
  return { event, actions: all.flatMap(({ actions }) => actions) };
};

interface Page {
  readonly event: number;
  readonly next: string | null;
}

const everyPage = async <Reply extends Page>(
  ask: (page: { readonly after?: string }) => Promise<Reply>,
): Promise<{ readonly event: number; readonly all: readonly Reply[] }> => {
  const first = await ask({});
  const all = [first];
  for (let { next } = first; next !== null;) {
    const page = await ask({ after: next });
    all.push(page);
    next = page.next;
  }
  return { event: first.event, all };
};
