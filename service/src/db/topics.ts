/** What can have changed: networking actions, events, notifications, console owners, users and memberships, leases that were given back, subscriptions. */
export const topics = ['actions', 'events', 'notifications', 'consoles', 'users', 'leases', 'subscriptions'] as const;
export type Topic = (typeof topics)[number];
