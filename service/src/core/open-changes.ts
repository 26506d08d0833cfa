import type { Db } from '../db/service-database.ts';
import { type RowOf, statement } from '../db/service-statement.ts';

/*
 * Free nodes and public networks are everybody's to see. These events change what everybody can see of them, but only
 * the projects that they are about can read them: a client with a list of free nodes needs a hint that it is old.
 */

/** The node was free before, or is free now. */
const ofFreeNodes = new Set([
  'node_register',
  'node_delete',
  'node_delete_nic',
  'project_connect_node',
  'cleaning_passed',
  'node_quarantined',
]);
/** Only if the node is free, which is one without a project. */
const ofNodes = new Set(['node_set_metadata', 'node_delete_metadata', 'node_register_nic']);
const types = [...ofFreeNodes, ...ofNodes, 'project_detach_node', 'network_create', 'network_delete'];

const perQuestion = 100;

const candidates = statement((tx, { after, before }: { after: number; before: number }) =>
  tx
    .selectFrom('events')
    .select(['id', 'type', 'project', 'detail'])
    .where('id', '>', after)
    .where('id', '<', before)
    .where('type', 'in', types)
    .orderBy('id', 'desc')
    .limit(perQuestion),
);

/** The newest event of these that changed what everybody can see; null: none did. */
export const newestOpenChange = async (query: Db['query'], after: number, upTo: number): Promise<number | null> => {
  for (let before = upTo + 1; before > after + 1;) {
    const rows = await query(candidates, { after, before });
    const found = rows.find(isOpen);
    if (found !== undefined) return found.id;
    if (rows.length < perQuestion) return null;
    before = rows.at(-1)?.id ?? after;
  }
  return null;
};

const isOpen = ({ type, project, detail }: RowOf<typeof candidates>): boolean => {
  if (ofFreeNodes.has(type)) return true;
  if (ofNodes.has(type)) return project === null;
  const { moved_to, public: isPublic } = JSON.parse(detail) as { moved_to?: string; public?: boolean };
  // A node that leaves a project for the maintenance pool is not free.
  return type === 'project_detach_node' ? moved_to === undefined : isPublic === true;
};
