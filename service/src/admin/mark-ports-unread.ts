import type { DatabaseInTransaction } from './program-databases.ts';

const databaseWith = (inside: readonly DatabaseInTransaction[], table: string): DatabaseInTransaction | undefined =>
  inside.find(({ tables }) => tables.some(({ name }) => name === table));

/**
 * What is recorded may be older than what switches carry: every port counts as unread, and may carry any VLAN, until
 * the service has read it; machines count as unknown until the hypervisor was asked. Returns how many ports there
 * are.
 */
export const markPortsUnread = async (inside: readonly DatabaseInTransaction[]): Promise<number> => {
  const access = databaseWith(inside, 'ports')?.access;
  if (access === undefined) return 0;
  // The same goes for the machines of headnodes: `core/machine-trust.ts`.
  await access.all(
    "insert into settings (name, value) values ('machines_unknown', '') on conflict (name) do update set value = '' returning name",
  );
  await access.all('update switches set sweep_wanted = sweep_wanted + 1 returning id');
  return (await access.all('update ports set unread = 1, may_carry_any = 1 returning id')).length;
};

/**
 * A process that shuts down cleanly releases the switches that it works on. Where one is still held, something may have
 * been said to it that nobody wrote down.
 */
export const wasStoppedCleanly = async (inside: readonly DatabaseInTransaction[]): Promise<boolean> => {
  const access = databaseWith(inside, 'leases')?.access;
  const held = await access?.all("select name from leases where name like 'switch/%' and expires_at > 0 limit 1");
  return (held ?? []).length === 0;
};
