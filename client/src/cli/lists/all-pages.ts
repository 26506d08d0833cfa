import type { Calls, Corral } from '../../index.ts';

/** A node as the service lists it. */
export type NodeOverview = Calls['nodesOverview']['reply']['nodes'][number];

/** Every page of nodes, as one answer. Events are followed from the first page on. */
export const allNodes = async (
  corral: Corral,
  query: Omit<Calls['nodesOverview']['args'], 'after' | 'limit'>,
): Promise<Omit<Calls['nodesOverview']['reply'], 'next'>> => {
  const { next, ...first } = await corral.nodesOverview(query);
  const [nodes, others] = [[...first.nodes], [...first.others]];
  for (let after = next; after !== null;) {
    const page: Calls['nodesOverview']['reply'] = await corral.nodesOverview({ ...query, after });
    nodes.push(...page.nodes);
    others.push(...page.others);
    after = page.next;
  }
  return { event: first.event, nodes, others };
};

/** Every page of switches, as one answer. */
export const allSwitches = async (corral: Corral): Promise<Omit<Calls['switchesOverview']['reply'], 'next'>> => {
  const { next, ...first } = await corral.switchesOverview();
  const switches = [...first.switches];
  for (let after = next; after !== null;) {
    const page: Calls['switchesOverview']['reply'] = await corral.switchesOverview({ after });
    switches.push(...page.switches);
    after = page.next;
  }
  return { event: first.event, switches };
};
