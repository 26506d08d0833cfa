import type { Route } from '../route.ts';
import { actionRoutes } from './actions.ts';
import { driftRoutes } from './drift.ts';
import { eventRoutes } from './events.ts';
import { extensionRoutes } from './extensions.ts';
import { headnodeRoutes } from './headnodes.ts';
import { networkRoutes } from './networks.ts';
import { nodeRoutes } from './nodes.ts';
import { obmRoutes } from './obm.ts';
import { portRoutes } from './ports.ts';
import { projectRoutes } from './projects.ts';
import { passwordSessionRoutes, sessionRoutes } from './sessions.ts';
import { switchRoutes } from './switches.ts';
import { tokenRoutes } from './tokens.ts';
import { userRoutes } from './users.ts';

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
  { title: 'Projects', routes: projectRoutes },
  { title: 'Headnodes', routes: headnodeRoutes },
  { title: 'Switches', routes: switchRoutes },
  { title: 'Ports', routes: portRoutes },
  { title: 'Drift and reach', routes: driftRoutes },
  { title: 'Extensions', routes: extensionRoutes },
  { title: 'Users', routes: [...userRoutes, ...passwordSessionRoutes], backend: 'database' },
  { title: 'Sessions and tokens', routes: [...sessionRoutes, ...tokenRoutes], isForPeople: true },
  { title: 'Events', routes: eventRoutes },
];

/** The calls that an installation with these authentication backends serves. */
export const groupsFor = (backends: readonly string[]): readonly RouteGroup[] =>
  routeGroups.filter(
    ({ backend, isForPeople }) =>
      (backend === undefined || backends.includes(backend)) && !(isForPeople && backends.includes('null')),
  );
