const fields = ['type', 'node', 'network', 'headnode', 'switch', 'project', 'caller'] as const;

/** Which events are shown, in the page's address. */
export type EventsSearch = Readonly<Partial<Record<(typeof fields)[number], string>>>;

export const eventsSearch = (search: Record<string, unknown>): EventsSearch =>
  Object.fromEntries(
    fields.flatMap((name) => {
      const value = search[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
