import { allUsage, type Calls } from '@corral/client';
import { queryOptions } from '@tanstack/react-query';
import { type Cleaning, corral, type HeadnodeOverview, type Me, type NodeOverview } from './client.ts';
import { NotSignedIn } from './not-signed-in.ts';
import { allPages } from './pages.ts';

/*
 * Everything that pages show, each under its key. The live feed (`live.ts`) says which of them an event makes old; until
 * then an answer stays good, so nothing is asked twice.
 */

/** Who is signed in. Before anybody is, the service says so without a refusal, which browsers would report as an error. */
export const me = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }): Promise<Me> => {
    const { caller } = await corral.showSession({}, { signal });
    if (caller === null) throw new NotSignedIn();
    return caller;
  },
});

export const signInMethods = queryOptions({
  queryKey: ['sign-in methods'],
  queryFn: ({ signal }) => corral.showAuthMethods({}, { signal }),
});

/** All nodes that the caller may know of. */
export interface AllNodes {
  readonly event: number;
  readonly nodes: readonly NodeOverview[];
  /** Names of those in projects of others. */
  readonly others: readonly string[];
}

export const allNodes = queryOptions({
  queryKey: ['nodes'],
  queryFn: async ({ signal }): Promise<AllNodes> => {
    const pages = await allPages((after) => corral.nodesOverview(after === undefined ? {} : { after }, { signal }));
    return {
      event: pages[0]?.event ?? 0,
      nodes: pages.flatMap(({ nodes }) => nodes),
      others: pages.flatMap(({ others }) => others),
    };
  },
});

export const nodeNamed = (node: string) =>
  queryOptions({
    queryKey: ['node', node],
    queryFn: ({ signal }) => corral.nodeOverview({ node }, { signal }),
  });

/** The newest events of a node, for its own page. */
export const eventsOfNode = (node: string) =>
  queryOptions({
    queryKey: ['events', 'node', node],
    queryFn: ({ signal }) => corral.listEvents({ node, limit: '10' }, { signal }),
  });

/** Whether a node is on, which can change without an event. Only while OBM is enabled. */
export const powerOf = (node: string) =>
  queryOptions({
    queryKey: ['power', node],
    queryFn: ({ signal }) => corral.nodePowerStatus({ node }, { signal }),
    refetchInterval: 30_000,
  });

export const allNetworks = queryOptions({
  queryKey: ['networks'],
  queryFn: ({ signal }) => corral.networksOverview({}, { signal }),
});

/** What is recorded on a network, of that which the caller may see. */
export const attachmentsOf = (network: string) =>
  queryOptions({
    queryKey: ['network', network, 'attachments'],
    queryFn: ({ signal }) => corral.listNetworkAttachments({ network }, { signal }),
  });

export const allSwitches = queryOptions({
  queryKey: ['switches'],
  queryFn: async ({ signal }) => {
    const pages = await allPages((after) => corral.switchesOverview(after === undefined ? {} : { after }, { signal }));
    return { event: pages[0]?.event ?? 0, switches: pages.flatMap(({ switches }) => switches) };
  },
  // A reading that found nothing new is no event, and the page says when the last one was.
  refetchInterval: 30_000,
});

export const switchNamed = (name: string) =>
  queryOptions({
    queryKey: ['switch', name],
    queryFn: ({ signal }) => corral.switchOverview({ switch: name }, { signal }),
    refetchInterval: 30_000,
  });

/** The types of switches, and the fields of each. They are those of the service's drivers, so they do not change. */
export const switchTypes = queryOptions({
  queryKey: ['switch types'],
  queryFn: ({ signal }) => corral.listSwitchTypes({}, { signal }),
});

/** The same of BMCs, and whether an OBM daemon runs inside the service. */
export const bmcTypes = queryOptions({
  queryKey: ['BMC types'],
  queryFn: ({ signal }) => corral.listBmcTypes({}, { signal }),
});

/** The BMCs of all nodes, for administrators: whether one node has one is no refusal that way. */
export const allBmcs = queryOptions({
  queryKey: ['bmcs'],
  queryFn: ({ signal }) => corral.listBmcs({}, { signal }),
});

/** Where switches carry something else than is recorded, as they were last seen. */
export const allDrift = queryOptions({
  queryKey: ['drift'],
  queryFn: ({ signal }) => corral.showDrift({}, { signal }),
});

/** The same as `allHeadnodes`, asked for now. */
export const readHeadnodes = async (
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly HeadnodeOverview[]> => {
  const pages = await allPages((after) => corral.headnodesOverview(after === undefined ? {} : { after }, options));
  return pages.flatMap(({ headnodes }) => headnodes);
};

/** The headnodes of the caller's projects. */
export const allHeadnodes = queryOptions({
  queryKey: ['headnodes'],
  queryFn: ({ signal }) => readHeadnodes({ signal }),
  // That a start or a stop has begun is no event, and one that fails leaves none.
  refetchInterval: ({ state }) => (state.data?.some(({ in_progress }) => in_progress) === true ? 2_000 : false),
});

/** What headnodes can be made from; none: this service runs no headnodes. Images come and go without an event. */
export const headnodeImages = queryOptions({
  queryKey: ['headnode images'],
  queryFn: ({ signal }) => corral.listHeadnodeImages({}, { signal }),
  refetchOnMount: 'always',
});

/** The newest events of a headnode, for its own page. */
export const eventsOfHeadnode = (headnode: string) =>
  queryOptions({
    queryKey: ['events', 'headnode', headnode],
    queryFn: ({ signal }) => corral.listEvents({ headnode, limit: '10' }, { signal }),
  });

/** The oldest of the changes that wait for their switches. How often each was tried is in no event. */
export const pendingActions = queryOptions({
  queryKey: ['actions'],
  queryFn: ({ signal }) => corral.actionsOverview({}, { signal }),
  refetchInterval: ({ state }) => ((state.data?.actions.length ?? 0) > 0 ? 5_000 : false),
});

/** Releases of a project's nodes: those that are running, then those that ended lately. What went wrong so far is in no event. */
export const releasesOf = (project: string) =>
  queryOptions({
    queryKey: ['releases', project],
    queryFn: ({ signal }) => corral.listProjectReleases({ project }, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.some((release) => release.state === 'running') === true ? 3_000 : false,
  });

/** Claims of a project: those that wait, then those that ended lately. The places in line change with those of others. */
export const claimsOf = (project: string) =>
  queryOptions({
    queryKey: ['claims', project],
    queryFn: ({ signal }) => corral.listProjectClaims({ project }, { signal }),
    refetchInterval: ({ state }) => (state.data?.some((claim) => claim.state === 'waiting') === true ? 5_000 : false),
  });

/** What a claim would get now. That others wait in line, which keeps nodes from it, is in no event for this project. */
export const claimPreview = (project: string, wanted: Omit<Calls['projectClaimPreview']['args'], 'project'>) =>
  queryOptions({
    queryKey: ['claim-preview', project, wanted],
    queryFn: ({ signal }) => corral.projectClaimPreview({ project, ...wanted }, { signal }),
    placeholderData: (before) => before,
    refetchInterval: 10_000,
    ...readAtEachLook,
  });

/** Some of the cleanings in a state, the newest first. */
export interface CleaningColumn {
  readonly state: Cleaning['state'];
  readonly cleanings: readonly Cleaning[];
  /** There are more of them. */
  readonly hasMore: boolean;
}

/** How many are shown of each state: what has passed is only shown to be seen passing. */
const mostCleanings = { failed: 200, running: 200, maintenance: 200, passed: 20 } as const;
/** How far a step is in between is in no event. */
const stepsMs = 5_000;

/** For administrators: what nodes go through between two projects, by state. */
export const cleaningBoard = queryOptions({
  queryKey: ['cleanings', 'board'],
  queryFn: async ({ signal }): Promise<{ readonly enabled: boolean; readonly columns: readonly CleaningColumn[] }> => {
    const read = async (state: Cleaning['state']) => {
      const reply = await corral.listCleanings({ state, limit: String(mostCleanings[state]) }, { signal });
      return { state, cleanings: reply.cleanings, hasMore: reply.next !== null, enabled: reply.enabled };
    };
    const columns = await Promise.all([read('failed'), read('running'), read('maintenance'), read('passed')]);
    return { enabled: columns.every(({ enabled }) => enabled), columns };
  },
  refetchInterval: ({ state }) =>
    state.data?.columns.some((each) => each.state === 'running' && each.cleanings.length > 0) === true
      ? stepsMs
      : false,
});

/** For administrators: does the service clean a node that leaves a project? It is a setting, so no event says otherwise. */
export const cleansNodes = queryOptions({
  queryKey: ['cleanings', 'enabled'],
  queryFn: async ({ signal }) => (await corral.listCleanings({ limit: '1' }, { signal })).enabled,
});

/** The cleanings of one node that are kept, the newest first. */
export const cleaningsOf = (node: string) =>
  queryOptions({
    queryKey: ['cleanings', 'node', node],
    queryFn: async ({ signal }) => (await corral.listCleanings({ node }, { signal })).cleanings,
    refetchInterval: ({ state }) => (state.data?.[0]?.state === 'running' ? stepsMs : false),
  });

/** A cleaning with its steps. */
export const cleaningNamed = (cleaning: string) =>
  queryOptions({
    queryKey: ['cleanings', 'one', cleaning],
    queryFn: ({ signal }) => corral.showCleaning({ cleaning }, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? stepsMs : false),
  });

export const latestEvents = queryOptions({
  queryKey: ['events', 'latest'],
  queryFn: ({ signal }) => corral.listEvents({ limit: '100' }, { signal }),
});

/** For administrators: everybody else knows their own (`me`). */
export const projectNames = queryOptions({
  queryKey: ['projects', 'names'],
  queryFn: ({ signal }) => corral.listProjects({}, { signal }),
});

export const allProjects = queryOptions({
  queryKey: ['projects', 'overview'],
  queryFn: async ({ signal }) => {
    const pages = await allPages((after) => corral.projectsOverview(after === undefined ? {} : { after }, { signal }));
    return pages.flatMap(({ projects }) => projects);
  },
});

/** A user of the service's own database. */
export interface User {
  readonly name: string;
  readonly is_admin: boolean;
  readonly projects: readonly string[];
}

/** For administrators. */
export const allUsers = queryOptions({
  queryKey: ['users'],
  queryFn: async ({ signal }): Promise<readonly User[]> =>
    Object.entries(await corral.listUsers({}, { signal })).map(([name, user]) => ({ name, ...user })),
});

/** Every limit, for administrators. */
export const allQuotas = queryOptions({
  queryKey: ['quotas', 'all'],
  queryFn: ({ signal }) => corral.listQuotas({}, { signal }),
});

/** Of one's own tokens and sessions only administrators hear: they are read each time that the page is opened or comes to the front. */
const readAtEachLook = { refetchOnMount: 'always', refetchOnWindowFocus: 'always' } as const;

export const myTokens = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => corral.listTokens({}, { signal }),
  ...readAtEachLook,
});

export const mySessions = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => corral.listSessions({}, { signal }),
  ...readAtEachLook,
});

/** What a project is limited to and has. Of a new default only administrators hear. */
export const quotasOf = (project: string) =>
  queryOptions({
    queryKey: ['quotas', 'of', project],
    queryFn: ({ signal }) => corral.listProjectQuotas({ project }, { signal }),
    ...readAtEachLook,
  });

/** Node-hours in a part of the past. They grow all the time, so no event says that they have: they are read at each look. */
export const usageIn = (asked: { readonly by: string; readonly from?: string; readonly to?: string }) =>
  queryOptions({
    queryKey: ['usage', asked],
    queryFn: ({ signal }) => allUsage(corral, asked, { signal }),
    ...readAtEachLook,
  });

/** Those of the caller's projects; administrators see all. How deliveries go is in no event. */
export const allSubscriptions = queryOptions({
  queryKey: ['subscriptions', 'all'],
  queryFn: ({ signal }) => corral.listSubscriptions({}, { signal }),
  refetchInterval: 10_000,
  ...readAtEachLook,
});

export const deadLettersOf = (subscription: string) =>
  queryOptions({
    queryKey: ['subscriptions', 'dead letters', subscription],
    queryFn: ({ signal }) => corral.listDeadLetters({ subscription }, { signal }),
    ...readAtEachLook,
  });
