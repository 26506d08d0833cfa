type Row = Readonly<Record<string, unknown>>;

/**
 * Which bridge of which Open vSwitch this is: `system-id` is the host's own name, and the row of the bridge
 * has an id that was made with it.
 */
export const identityIn = (root: Row, bridge: Row, name: string): string | null => {
  const system = entriesOf(root['external_ids']).get('system-id');
  if (typeof system === 'string' && system !== '') return `ovs ${system} bridge ${name}`;
  const id = bridge['_uuid'];
  return Array.isArray(id) && typeof id[1] === 'string' ? `ovs bridge ${id[1]}` : null;
};

/** A column that holds a map is written as `["map", [[key, value], …]]`. */
const entriesOf = (value: unknown): ReadonlyMap<unknown, unknown> => {
  const pairs: unknown = Array.isArray(value) && value[0] === 'map' ? value[1] : [];
  return new Map(
    (Array.isArray(pairs) ? pairs : []).flatMap((pair: unknown): [unknown, unknown][] =>
      Array.isArray(pair) ? [[pair[0], pair[1]]] : [],
    ),
  );
};
