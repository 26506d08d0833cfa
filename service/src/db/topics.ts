/** What can have changed: networking actions, events, notifications, console owners, users and memberships, leases that were given back, subscriptions, releases of nodes. */
export const topics = [
  'actions',
  'events',
  'notifications',
  'consoles',
  'users',
  'leases',
  'subscriptions',
  'releases',
] as const;
export type Topic = (typeof topics)[number];
