/** What the topology shows: in its address, so that a link shows the same to everybody. */
export interface TopologySearch {
  readonly q?: string;
  /** Only what this project has and may use. */
  readonly project?: string;
  /** Everything that this network touches stands out. */
  readonly network?: string;
}

const fields = ['q', 'project', 'network'] as const;

export const topologySearch = (search: Record<string, unknown>): TopologySearch =>
  Object.fromEntries(
    fields.flatMap((name) => {
      const value = search[name];
      const text = typeof value === 'number' ? String(value) : value;
      return typeof text === 'string' && text !== '' ? [[name, text]] : [];
    }),
  );
