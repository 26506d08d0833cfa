import { rowsOf, select } from './bridge.ts';
import { isRecord, type Ovsdb } from './ovsdb.ts';

/**
 * Which bridge of which Open vSwitch this is: `system-id` is the host's own name for itself, and the row of the bridge
 * has an id that was made with it.
 */
export const ovsIdentity = async (ovsdb: Ovsdb, bridge: string, signal: AbortSignal): Promise<string | null> => {
  const answer = await ovsdb.transact(
    [select('Open_vSwitch', [], ['external_ids']), select('Bridge', [['name', '==', bridge]], ['_uuid'])],
    signal,
  );
  if (!answer.committed) throw new Error(`the database cannot be read: ${answer.reason}`);
  const [roots, bridges] = answer.results.map(rowsOf);
  const system = entriesOf(roots?.[0]?.['external_ids']).get('system-id');
  if (typeof system === 'string' && system !== '') return `ovs ${system} bridge ${bridge}`;
  const id: unknown = bridges?.[0]?.['_uuid'];
  return Array.isArray(id) && typeof id[1] === 'string' ? `ovs bridge ${id[1]}` : null;
};

/** A column that holds a map is written as `["map", [[key, value], …]]`. */
const entriesOf = (value: unknown): ReadonlyMap<unknown, unknown> => {
  const pairs: unknown = Array.isArray(value) && value[0] === 'map' ? value[1] : [];
  return new Map(
    (Array.isArray(pairs) ? pairs : []).flatMap((pair: unknown): [unknown, unknown][] =>
      Array.isArray(pair) && !isRecord(pair) ? [[pair[0], pair[1]]] : [],
    ),
  );
};
