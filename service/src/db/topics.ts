/** What can have changed: networking actions, events, notifications, console owners, users and memberships, leases that were given back. */
export const topics = ['actions', 'events', 'notifications', 'consoles', 'users', 'leases'] as const;
export type Topic = (typeof topics)[number];
