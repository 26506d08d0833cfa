/** What can have changed: networking actions, events, notifications, console owners, users and memberships, leases that were given back, subscriptions, releases of nodes, cleanings. */
export const topics = [
  'actions',
  'events',
  'notifications',
  'consoles',
  'users',
  'leases',
  'subscriptions',
  'releases',
  'cleanings',
] as const;
export type Topic = (typeof topics)[number];
