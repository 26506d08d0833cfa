import type { Route } from '../route.ts';
import { actionRoutes } from './action-routes.ts';
import { bmcRoutes } from './bmc-routes.ts';
import { claimRoutes } from './claim-routes.ts';
import { cleaningRoutes } from './cleaning-routes.ts';
import { driftRoutes } from './drift-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { extensionRoutes } from './extension-routes.ts';
import { headnodeRoutes } from './headnode-routes.ts';
import { networkRoutes } from './network-routes.ts';
import { nodeRoutes } from './node-routes.ts';
import { obmRoutes } from './obm-routes.ts';
import { overviewRoutes } from './overview-routes.ts';
import { portRoutes } from './port-routes.ts';
import { projectOverviewRoutes } from './project-overview-routes.ts';
import { projectRoutes } from './project-routes.ts';
import { quotaRoutes } from './quota-routes.ts';
import { releaseRoutes } from './release-routes.ts';
import { passwordSessionRoutes, sessionRoutes } from './session-routes.ts';
import { subscriptionRoutes } from './subscription-routes.ts';
import { switchOverviewRoutes } from './switch-overview-routes.ts';
import { switchRoutes } from './switch-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { usageRoutes } from './usage-routes.ts';
import { userRoutes } from './user-routes.ts';
import { wiringRoutes } from './wiring-routes.ts';

/** A group of calls, in the order of the reference. */
export interface RouteGroup {
  readonly title: string;
  readonly routes: readonly Route[];
  /** Only there when this authentication backend is. */
  readonly backend?: string;
  /** Only there when callers are people; to the backend `null` everybody is the operator. */
  readonly isForPeople?: true;
}

/** Every call there is. */
export const routeGroups: readonly RouteGroup[] = [
  { title: 'Networks', routes: networkRoutes },
  { title: 'Networking actions', routes: actionRoutes },
  { title: 'Nodes', routes: nodeRoutes },
  { title: 'Out-of-band management', routes: obmRoutes },
  { title: 'BMCs', routes: bmcRoutes },
  { title: 'Cleaning', routes: cleaningRoutes },
  { title: 'Projects', routes: projectRoutes },
  { title: 'Claims', routes: claimRoutes },
  { title: 'Releases', routes: releaseRoutes },
  { title: 'Quotas and usage', routes: [...quotaRoutes, ...usageRoutes] },
  { title: 'Headnodes', routes: headnodeRoutes },
  { title: 'Switches', routes: switchRoutes },
  { title: 'Ports', routes: portRoutes },
  { title: 'Drift and reach', routes: driftRoutes },
  { title: 'Wiring', routes: wiringRoutes },
  { title: 'Overviews', routes: [...overviewRoutes, ...projectOverviewRoutes, ...switchOverviewRoutes] },
  { title: 'Extensions', routes: extensionRoutes },
  { title: 'Users', routes: [...userRoutes, ...passwordSessionRoutes], backend: 'database' },
  { title: 'Sessions and tokens', routes: [...sessionRoutes, ...tokenRoutes], isForPeople: true },
  { title: 'Events', routes: eventRoutes },
  { title: 'Subscriptions', routes: subscriptionRoutes },
];

/** The calls that an installation with these authentication backends serves. */
export const groupsFor = (backends: readonly string[]): readonly RouteGroup[] =>
  routeGroups.filter(
    ({ backend, isForPeople }) =>
      (backend === undefined || backends.includes(backend)) && !(isForPeople && backends.includes('null')),
  );
