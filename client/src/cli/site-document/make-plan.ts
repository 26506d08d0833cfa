import type { ServiceState, Part } from './service-state.ts';
import { SitePlan } from './site-plan.ts';
import { planNetworks } from './plan-networks.ts';
import { planNodes } from './plan-nodes.ts';
import { planProjects, planUsers } from './plan-users.ts';
import { planSwitches } from './plan-switches.ts';
import type { PortIndex } from './port-index.ts';
import type { DeviceTypes } from '../device-fields.ts';
import type { KnownBmcs } from './plan-bmcs.ts';
import type { DesiredState } from './desired-state.ts';

/** Which parts of a service a document has to be compared with. */
export const partsOf = ({ users, networks, switches, nodes }: DesiredState): ReadonlySet<Part> =>
  new Set<Part>([
    'projects',
    ...(users ? (['users'] as const) : []),
    ...(networks ? (['networks'] as const) : []),
    ...(switches || nodes ? (['switches', 'nodes'] as const) : []),
  ]);

/** What has to be done so that the service has what the document says. */
export const planFor = (
  desired: DesiredState,
  state: ServiceState,
  ports: PortIndex,
  devices: { readonly switches: DeviceTypes; readonly bmcs: KnownBmcs },
): SitePlan => {
  const plan = new SitePlan();
  planProjects(plan, desired, state);
  planUsers(plan, desired, state);
  planNetworks(plan, desired, state);
  planSwitches(plan, desired, state, ports, devices.switches);
  planNodes(plan, desired, state, ports, devices.bmcs);
  return plan;
};
