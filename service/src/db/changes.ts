/** What can have changed: networking actions, events, notifications, console owners, users and memberships. */
export const topics = ['actions', 'events', 'notifications', 'consoles', 'users'] as const;
export type Topic = (typeof topics)[number];
