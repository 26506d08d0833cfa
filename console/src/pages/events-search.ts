/** Everything that an event is about. */
export const eventFields = [
  'type',
  'caller',
  'project',
  'node',
  'nic',
  'network',
  'switch',
  'port',
  'headnode',
  'hnic',
  'user',
] as const;

/** Which events are shown, in the page's address. */
export type EventsSearch = Readonly<Partial<Record<(typeof eventFields)[number], string>>>;

export const eventsSearch = (search: Record<string, unknown>): EventsSearch =>
  Object.fromEntries(
    eventFields.flatMap((name) => {
      const value = search[name];
      if (typeof value === 'number') return [[name, String(value)]];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
