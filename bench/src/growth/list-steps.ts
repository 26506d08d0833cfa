import { type Answer, type Step, type Walk, changeSomething, get } from './call-step.ts';
import { siteLabels, sizesOf } from './site-seed.ts';

/** Somewhere in the site, another place at every index. */
const somewhere = ({ site }: Walk, index: number): number => Math.floor((index * 0.618 * site.nodes + 7) % site.nodes);
const someProject = (walk: Walk, index: number): string =>
  siteLabels.project(somewhere(walk, index) % sizesOf(walk.site.nodes).projects);

const keysIn = ({ body }: Answer): number => Object.keys(body as object).length;

/** So few, because each takes as long as the site is large. */
const whole = { count: 8, before: changeSomething } as const;

/** Calls that only look: at one thing, at a page, or at all there is. */
export const listSteps: readonly Step[] = [
  { call: 'listNodes', what: 'all', ...whole, sent: () => get('/nodes/all'), items: keysIn },
  { call: 'listNodes', what: 'free', ...whole, sent: () => get('/nodes/free'), items: keysIn },
  { call: 'listNodes', what: 'free, asked again', sent: () => get('/nodes/free'), count: 8, items: keysIn },
  { call: 'listProjects', ...whole, sent: () => get('/projects'), items: keysIn },
  { call: 'listSwitches', ...whole, sent: () => get('/switches'), items: keysIn },
  { call: 'listUsers', ...whole, sent: () => get('/auth/basic/users'), items: keysIn },
  {
    call: 'showDrift',
    ...whole,
    count: 3,
    sent: () => get('/drift'),
    items: ({ body }) => (body as { switches: unknown[] }).switches.length,
  },
  {
    call: 'nodesOverview',
    what: 'a page of 500',
    ...whole,
    sent: () => get('/overview/nodes'),
    items: ({ body }) => (body as { nodes: unknown[] }).nodes.length,
  },
  {
    call: 'switchesOverview',
    what: 'a page of 500',
    ...whole,
    sent: () => get('/overview/switches'),
    items: ({ body }) => (body as { switches: unknown[] }).switches.length,
  },
  {
    call: 'networksOverview',
    what: 'with counts of the whole site',
    ...whole,
    sent: () => get('/overview/networks'),
    items: ({ body }) => (body as { networks: unknown[] }).networks.length,
  },
  {
    call: 'projectsOverview',
    what: 'a page of 500',
    ...whole,
    sent: () => get('/overview/projects'),
    items: ({ body }) => (body as { projects: unknown[] }).projects.length,
  },
  {
    call: 'headnodesOverview',
    what: 'a page of 500',
    ...whole,
    sent: () => get('/overview/headnodes'),
    items: ({ body }) => (body as { headnodes: unknown[] }).headnodes.length,
  },
  {
    call: 'actionsOverview',
    what: 'a page of 500',
    ...whole,
    sent: () => get('/overview/actions'),
    items: ({ body }) => (body as { actions: unknown[] }).actions.length,
  },
  {
    call: 'switchOverview',
    sent: (walk, index) =>
      get(`/overview/switch/${siteLabels.switch(somewhere(walk, index) % sizesOf(walk.site.nodes).switches)}`),
  },
  { call: 'nodeOverview', sent: (walk, index) => get(`/overview/node/${siteLabels.node(somewhere(walk, index))}`) },
  {
    call: 'showNetwork',
    what: 'with a share of the site',
    ...whole,
    sent: () => get(`/network/${siteLabels.network(0)}`),
    items: ({ body }) => keysIn({ body: (body as Record<string, object>)['connected-nodes'], status: 0, cookie: '' }),
  },
  {
    call: 'listNetworkAttachments',
    what: 'of a share of the site',
    ...whole,
    sent: () => get(`/network/${siteLabels.network(0)}/attachments`),
    items: keysIn,
  },
  {
    call: 'listBmcs',
    ...whole,
    count: 3,
    sent: () => get('/bmcs'),
    items: ({ body }) => (body as { bmcs: unknown[] }).bmcs.length,
  },
  { call: 'metrics', ...whole, count: 3, sent: () => get('/metrics'), items: linesAboutSwitches },
  { call: 'showNode', sent: (walk, index) => get(`/node/${siteLabels.node(somewhere(walk, index))}`) },
  {
    call: 'showSwitch',
    sent: (walk, index) =>
      get(`/switch/${siteLabels.switch(somewhere(walk, index) % sizesOf(walk.site.nodes).switches)}`),
  },
  {
    call: 'showSwitchDrift',
    sent: (walk, index) =>
      get(`/switch/${siteLabels.switch(somewhere(walk, index) % sizesOf(walk.site.nodes).switches)}/drift`),
  },
  { call: 'showNodeWiring', sent: (walk, index) => get(`/node/${siteLabels.node(somewhere(walk, index))}/wiring`) },
  {
    call: 'showSwitchWiring',
    sent: (walk, index) =>
      get(`/switch/${siteLabels.switch(somewhere(walk, index) % sizesOf(walk.site.nodes).switches)}/wiring`),
  },
  { call: 'listNetworks', sent: () => get('/networks') },
  { call: 'listProjectNodes', sent: (walk, index) => get(`/project/${someProject(walk, index)}/nodes`) },
  { call: 'listProjectNetworks', sent: (walk, index) => get(`/project/${someProject(walk, index)}/networks`) },
  { call: 'listProjectHeadnodes', sent: (walk, index) => get(`/project/${someProject(walk, index)}/headnodes`) },
  { call: 'listProjectQuotas', sent: (walk, index) => get(`/project/${someProject(walk, index)}/quotas`) },
  { call: 'listUsage', sent: () => get('/usage?by=class') },
  { call: 'listQuotas', sent: () => get('/quotas') },
  { call: 'listEvents', what: 'the newest', sent: () => get('/events') },
  {
    call: 'listEvents',
    what: 'of a node',
    sent: (walk, index) => get(`/events?node=${siteLabels.node(somewhere(walk, index))}`),
  },
  {
    call: 'listEvents',
    what: 'of a project',
    sent: (walk, index) => get(`/events?project=${someProject(walk, index)}`),
  },
  { call: 'listEvents', what: 'of a type', sent: () => get('/events?type=project_detach_node') },
  {
    call: 'listEvents',
    what: 'of a day',
    sent: () => get('/events?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z&after=0'),
  },
  {
    call: 'streamEvents',
    sent: () => ({ ...get('/events/stream'), headers: { 'last-event-id': '20' } }),
    isStream: true,
  },
  { call: 'showNetworkingAction', sent: (walk, index) => get(`/networking_action/old-${somewhere(walk, index)}`) },
  { call: 'listActiveExtensions', sent: () => get('/active_extensions') },
  { call: 'listBmcTypes', sent: () => get('/bmc_types') },
  { call: 'listSwitchTypes', sent: () => get('/switch_types') },
  { call: 'listHeadnodeImages', sent: () => get('/headnode_images') },
  { call: 'listHeadnodeImagesSlash', sent: () => get('/headnode_images/') },
  { call: 'showAuthMethods', sent: () => get('/auth/methods') },
  { call: 'showSession', sent: () => get('/auth/session') },
  { call: 'whoami', sent: () => get('/auth/whoami') },
];

/**
 * After everything else: the engine reads every switch for it, and sessions to all of them stay open for a while. What
 * the seed has attached is on no simulated port, so the site is full of drift from then on.
 */
export const lastSteps: readonly Step[] = [
  {
    call: 'networkReach',
    count: 1,
    sent: () => get(`/network/${siteLabels.network(0)}/reach`),
    items: ({ body }) => (body as { switches: unknown[] }).switches.length,
  },
];

function linesAboutSwitches({ body }: Answer): number {
  return String(body).match(/^corral_switch_up\{/gm)?.length ?? 0;
}
