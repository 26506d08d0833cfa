import { AuthorizationError } from '@corral/client';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { live, queries } from './app-state.ts';
import { NotSignedIn } from './api/not-signed-in.ts';
import { me } from './api/queries.ts';
import { Frame } from './frame/frame.tsx';
import { FailedPage, LoneMissingPage, MissingPage } from './frame/missing-page.tsx';
import { claimsSearch } from './pages/claims-search.ts';
import { cleaningSearch } from './pages/cleaning-search.ts';
import { eventsSearch } from './pages/events-search.ts';
import { isolationSearch } from './pages/isolation-search.ts';
import { networksSearch } from './pages/networks-search.ts';
import { listSearch } from './pages/list-search.ts';
import { switchesSearch } from './pages/switches-search.ts';
import { nodesSearch } from './pages/nodes-search.ts';
import { projectSearch } from './pages/project-search.ts';
import { quotasSearch } from './pages/quotas-search.ts';
import { racksSearch } from './pages/racks-search.ts';
import { topologySearch } from './pages/topology-search.ts';
import { usageSearch } from './pages/usage-search.ts';
import { SignInPage } from './pages/sign-in.tsx';

/*
 * Every page and its address. What a page shows beside its address (filters, order, what is chosen) is in the query,
 * so that a link shows the same to everybody.
 */

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: LoneMissingPage,
  errorComponent: FailedPage,
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { readonly to?: string } =>
    typeof search['to'] === 'string' && /^\/(?![/\\])/.test(search['to']) ? { to: search['to'] } : {},
  component: SignInPage,
});

let isLive: Promise<void> | undefined;

/** Around every page: who is signed in is known, and changes are heard of, before anything is read. */
const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'frame',
  beforeLoad: async ({ location }) => {
    try {
      await queries.query({ ...me, staleTime: 'static' });
      await (isLive ??= live.begin());
    } catch (error) {
      isLive = undefined;
      if (error instanceof NotSignedIn || error instanceof AuthorizationError)
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- this is how the router redirects
        throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { to: location.href } });
      throw error;
    }
  },
  component: Frame,
});

const pageIn = <const P extends string>(path: P) => ({ getParentRoute: () => frameRoute, path });

const overviewRoute = createRoute({
  ...pageIn('/'),
  component: lazyRouteComponent(() => import('./pages/overview.tsx'), 'OverviewPage'),
});
const nodesRoute = createRoute({
  ...pageIn('/nodes'),
  validateSearch: nodesSearch,
  component: lazyRouteComponent(() => import('./pages/nodes.tsx'), 'NodesPage'),
});
const nodeRoute = createRoute({
  ...pageIn('/nodes/$node'),
  component: lazyRouteComponent(() => import('./pages/node.tsx'), 'NodePage'),
});
const serialConsoleRoute = createRoute({
  ...pageIn('/nodes/$node/console'),
  component: lazyRouteComponent(() => import('./pages/serial-console.tsx'), 'SerialConsolePage'),
});
const claimsRoute = createRoute({
  ...pageIn('/claims'),
  validateSearch: claimsSearch,
  component: lazyRouteComponent(() => import('./pages/claims.tsx'), 'ClaimsPage'),
});

const subscriptionsRoute = createRoute({
  ...pageIn('/subscriptions'),
  component: lazyRouteComponent(() => import('./pages/subscriptions.tsx'), 'SubscriptionsPage'),
});

const releasesRoute = createRoute({
  ...pageIn('/releases'),
  validateSearch: projectSearch,
  component: lazyRouteComponent(() => import('./pages/releases.tsx'), 'ReleasesPage'),
});
const racksRoute = createRoute({
  ...pageIn('/racks'),
  validateSearch: racksSearch,
  component: lazyRouteComponent(() => import('./pages/racks.tsx'), 'RacksPage'),
});
const networksRoute = createRoute({
  ...pageIn('/networks'),
  validateSearch: networksSearch,
  component: lazyRouteComponent(() => import('./pages/networks.tsx'), 'NetworksPage'),
});
const networkRoute = createRoute({
  ...pageIn('/networks/$network'),
  component: lazyRouteComponent(() => import('./pages/network.tsx'), 'NetworkPage'),
});
const headnodesRoute = createRoute({
  ...pageIn('/headnodes'),
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('./pages/headnodes.tsx'), 'HeadnodesPage'),
});
const headnodeRoute = createRoute({
  ...pageIn('/headnodes/$headnode'),
  component: lazyRouteComponent(() => import('./pages/headnode.tsx'), 'HeadnodePage'),
});
const headnodeScreenRoute = createRoute({
  ...pageIn('/headnodes/$headnode/screen'),
  component: lazyRouteComponent(() => import('./pages/headnode-screen.tsx'), 'HeadnodeScreenPage'),
});
const topologyRoute = createRoute({
  ...pageIn('/topology'),
  validateSearch: topologySearch,
  component: lazyRouteComponent(() => import('./pages/topology.tsx'), 'TopologyPage'),
});
const switchesRoute = createRoute({
  ...pageIn('/switches'),
  validateSearch: switchesSearch,
  component: lazyRouteComponent(() => import('./pages/switches.tsx'), 'SwitchesPage'),
});
const switchRoute = createRoute({
  ...pageIn('/switches/$switch'),
  validateSearch: (search: Record<string, unknown>): { readonly port?: string } =>
    typeof search['port'] === 'string' ? { port: search['port'] } : {},
  component: lazyRouteComponent(() => import('./pages/switch.tsx'), 'SwitchPage'),
});
const driftRoute = createRoute({
  ...pageIn('/drift'),
  component: lazyRouteComponent(() => import('./pages/drift.tsx'), 'DriftPage'),
});
const cleaningRoute = createRoute({
  ...pageIn('/cleaning'),
  validateSearch: cleaningSearch,
  component: lazyRouteComponent(() => import('./pages/cleaning.tsx'), 'CleaningPage'),
});
const setUpRoute = createRoute({
  ...pageIn('/setup'),
  component: lazyRouteComponent(() => import('./pages/setup.tsx'), 'SetUpPage'),
});
const setUpSwitchRoute = createRoute({
  ...pageIn('/setup/switch'),
  component: lazyRouteComponent(() => import('./pages/setup-switch.tsx'), 'SetUpSwitchPage'),
});
const setUpPortsRoute = createRoute({
  ...pageIn('/setup/ports'),
  validateSearch: (search: Record<string, unknown>): { readonly switch?: string } =>
    typeof search['switch'] === 'string' ? { switch: search['switch'] } : {},
  component: lazyRouteComponent(() => import('./pages/setup-ports.tsx'), 'SetUpPortsPage'),
});
const setUpNodeRoute = createRoute({
  ...pageIn('/setup/node'),
  component: lazyRouteComponent(() => import('./pages/setup-node.tsx'), 'SetUpNodePage'),
});
const eventsRoute = createRoute({
  ...pageIn('/events'),
  validateSearch: eventsSearch,
  component: lazyRouteComponent(() => import('./pages/events.tsx'), 'EventsPage'),
});
const projectsRoute = createRoute({
  ...pageIn('/projects'),
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('./pages/projects.tsx'), 'ProjectsPage'),
});
const quotasRoute = createRoute({
  ...pageIn('/quotas'),
  validateSearch: quotasSearch,
  component: lazyRouteComponent(() => import('./pages/quotas.tsx'), 'QuotasPage'),
});
const usageRoute = createRoute({
  ...pageIn('/usage'),
  validateSearch: usageSearch,
  component: lazyRouteComponent(() => import('./pages/usage.tsx'), 'UsagePage'),
});
const isolationRoute = createRoute({
  ...pageIn('/isolation'),
  validateSearch: isolationSearch,
  component: lazyRouteComponent(() => import('./pages/isolation.tsx'), 'IsolationPage'),
});
const usersRoute = createRoute({
  ...pageIn('/users'),
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('./pages/users.tsx'), 'UsersPage'),
});
const accountRoute = createRoute({
  ...pageIn('/account'),
  component: lazyRouteComponent(() => import('./pages/account.tsx'), 'AccountPage'),
});
/** Every other address. */
const missingRoute = createRoute({ getParentRoute: () => frameRoute, path: '$', component: MissingPage });

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    signInRoute,
    frameRoute.addChildren([
      overviewRoute,
      nodesRoute,
      nodeRoute,
      serialConsoleRoute,
      claimsRoute,
      releasesRoute,
      racksRoute,
      networksRoute,
      networkRoute,
      headnodesRoute,
      headnodeRoute,
      headnodeScreenRoute,
      topologyRoute,
      switchesRoute,
      switchRoute,
      driftRoute,
      cleaningRoute,
      setUpRoute,
      setUpSwitchRoute,
      setUpPortsRoute,
      setUpNodeRoute,
      eventsRoute,
      projectsRoute,
      quotasRoute,
      subscriptionsRoute,
      usageRoute,
      isolationRoute,
      usersRoute,
      accountRoute,
      missingRoute,
    ]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
