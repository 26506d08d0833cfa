import { setTimeout as sleep } from 'node:timers/promises';
import type { LabHost } from '@corral/lab';
import type { Answer, Client } from '../http/http-client.ts';
import type { NetworkMembership } from './network-membership.ts';
import { nodeOf, vlansOf } from './packet-switches.ts';
import { type Project, projects, type SoakInstallation, soakVlans } from './soak-installation.ts';
import type { Action } from '../services/world.ts';

/** What the tenants did. */
export interface SoakCounts {
  reserved: number;
  connected: number;
  detached: number;
  released: number;
  /** Actions that ended with ERROR, and calls that the service died over. */
  failed: number;
  broken: number;
  networks: number;
}

export const random = <T>(all: readonly T[]): T => {
  const one = all[Math.floor(Math.random() * all.length)];
  if (one === undefined) throw new Error('there is nothing to choose from');
  return one;
};

export const randomPause = (fromMs: number, toMs: number): Promise<void> =>
  sleep(fromMs + Math.random() * (toMs - fromMs));

/** A call that no answer came to: the service may have done it or not. */
const isBroken = (error: unknown): boolean =>
  ['UND_ERR_SOCKET', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Does this again and again until `stop`; when the service dies under it, it waits until that is back. */
export const untilStopped = async (
  installation: SoakInstallation,
  counts: SoakCounts,
  stop: AbortSignal,
  once: () => Promise<void>,
): Promise<void> => {
  while (!stop.aborted) {
    try {
      await once();
    } catch (error) {
      if (!isBroken(error)) throw error;
      counts.broken += 1;
      await installation.up();
    }
  }
};

/** Reserves a host for a random project, puts it on some of its networks for a while, and gives it back. */
export const tenancy = async (
  installation: SoakInstallation,
  membership: NetworkMembership,
  counts: SoakCounts,
  host: LabHost,
): Promise<void> => {
  await vacate(installation, membership, counts, host);
  const project = random(projects);
  const tenant = installation.tenant(project);
  const node = nodeOf(host);
  if ((await tenant.post(`/project/${project}/connect_node`, { node })).status !== 200) {
    // Its port is not as recorded, or nobody knows: not before it is repaired.
    await randomPause(20, 100);
    return;
  }
  counts.reserved += 1;
  const { body } = await tenant.get(`/project/${project}/networks`);
  const vlans = await vlansOf(installation.admin());
  const count = random([1, 1, 2]);
  for (const [index, network] of shuffled(body as string[])
    .slice(0, count)
    .entries()) {
    const vlan = vlans.get(network);
    if (vlan !== undefined)
      await join(tenant, membership, counts, host, network, vlan, index > 0 || random([false, false, true]));
  }
  await randomPause(50, 300);
};

const join = async (
  tenant: Client,
  membership: NetworkMembership,
  counts: SoakCounts,
  host: LabHost,
  network: string,
  vlan: number,
  isTagged: boolean,
): Promise<void> => {
  const channel = isTagged ? `vlan/${vlan}` : 'vlan/native';
  membership.begins(host.port, network, isTagged ? [vlan] : []);
  const answer = await tenant.post(`/node/${nodeOf(host)}/nic/eth0/connect_network`, { network, channel });
  if (answer.status !== 202) membership.ends(host.port, network);
  // After an ERROR the network may be on the port all the same; nobody gets the node before that is known.
  else if ((await ending(tenant, answer)) === 'DONE') counts.connected += 1;
  else counts.failed += 1;
};

/** Takes a host off its networks and out of its project, whatever it was left in. */
const vacate = async (
  installation: SoakInstallation,
  membership: NetworkMembership,
  counts: SoakCounts,
  host: LabHost,
): Promise<void> => {
  const node = nodeOf(host);
  for (;;) {
    const { body } = await installation.admin().get(`/node/${node}`);
    const { project, nics } = body as { project: Project | null; nics: { networks: Record<string, string> }[] };
    if (project === null) break;
    const tenant = installation.tenant(project);
    for (const network of Object.values(nics[0]?.networks ?? {})) {
      const answer = await tenant.post(`/node/${node}/nic/eth0/detach_network`, { network });
      if (answer.status !== 202) continue;
      if ((await ending(tenant, answer)) !== 'DONE') counts.failed += 1;
      else {
        membership.ends(host.port, network);
        counts.detached += 1;
      }
    }
    const { status } = await tenant.post(`/project/${project}/detach_node`, { node });
    if (status === 200) counts.released += 1;
    else await randomPause(20, 100);
  }
  membership.ends(host.port);
};

const ending = async (tenant: Client, queued: Answer): Promise<Action['status']> => {
  const { status_id } = queued.body as { status_id: string };
  for (;;) {
    const { body } = await tenant.get(`/networking_action/${status_id}`);
    const { status } = body as Action;
    if (status !== 'PENDING') return status;
    await sleep(10);
  }
};

/** Deletes a network that nobody is on and gives its VLAN to a new one, of another project as a rule. */
export const landlord = async (installation: SoakInstallation, counts: SoakCounts): Promise<void> => {
  const admin = installation.admin();
  const vlans = await vlansOf(admin);
  if (vlans.size === soakVlans.length) {
    const network = random([...vlans.keys()]);
    await admin.del(`/network/${network}`);
  }
  const owner = random(projects);
  // A new label each time, so that whoever is on a network is on this one.
  counts.networks += 1;
  await admin.put(`/network/net-${counts.networks}`, { owner, access: owner, net_id: '' });
  await randomPause(100, 300);
};

const shuffled = <T>(all: readonly T[]): T[] =>
  all
    .map((one) => ({ one, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }) => one);
