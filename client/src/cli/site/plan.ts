import type { Actual, Part } from './actual.ts';
import { Draft } from './draft.ts';
import { planNetworks } from './plan-networks.ts';
import { planNodes } from './plan-nodes.ts';
import { planProjects, planUsers } from './plan-people.ts';
import { planSwitches } from './plan-switches.ts';
import type { PortBook } from './ports.ts';
import type { SwitchTypes } from './switch-types.ts';
import type { Wanted } from './wanted.ts';

/** Which parts of a service a document has to be compared with. */
export const partsOf = ({ users, networks, switches, nodes }: Wanted): ReadonlySet<Part> =>
  new Set<Part>([
    'projects',
    ...(users ? (['users'] as const) : []),
    ...(networks ? (['networks'] as const) : []),
    ...(switches || nodes ? (['switches', 'nodes'] as const) : []),
  ]);

/** What has to be done so that the service has what the document says. */
export const planFor = (wanted: Wanted, actual: Actual, ports: PortBook, types: SwitchTypes): Draft => {
  const draft = new Draft();
  planProjects(draft, wanted, actual);
  planUsers(draft, wanted, actual);
  planNetworks(draft, wanted, actual);
  planSwitches(draft, wanted, actual, ports, types);
  planNodes(draft, wanted, actual, ports);
  return draft;
};
