import { type Api, settled } from './demo-api.ts';
import type { DemoObmd } from './demo-obmd.ts';
import { eachOf } from './run-parallel-demo.ts';
import type { Progress } from './demo-progress.ts';
import type { Rack, RackNode } from './demo-rack.ts';
import { headnode, managedNode, passwordOf, publicNetwork, type Tenant, tenants } from './demo-tenants.ts';

/** Enough to keep the service busy, few enough to be polite. */
const requestsAtOnce = 8;

/** What filling needs: the calls as administrator, the daemon behind the machines, and where to show progress. */
export interface Fillers {
  readonly admin: Api;
  readonly obmd: DemoObmd;
  readonly progress: Progress;
}

/** Registers the rack as an operator would, then lets the tenants move in under their own names. */
export const fill = async (rack: Rack, fillers: Fillers): Promise<void> => {
  await registerSwitches(rack, fillers);
  await registerNodes(rack, fillers);
  await admitTenants(fillers);
  await createNetworks(fillers);
  await reserveAndConnect(fillers);
  await finishTouches(fillers);
};

const registerSwitches = ({ switches }: Rack, { admin, progress }: Fillers): Promise<void> =>
  progress.step('switches', switches.length, async (tick) => {
    await eachOf(switches, requestsAtOnce, async (label) => {
      const login = { hostname: `${label}.demo`, username: 'corral', password: 'not a secret' };
      await admin.put(`/switch/${label}`, { type: 'mock', ...login });
      tick();
    });
    return switches.join(', ');
  });

const registerNodes = ({ nodes }: Rack, { admin, obmd, progress }: Fillers): Promise<void> =>
  progress.step('nodes', nodes.length, async (tick) => {
    await eachOf(nodes, requestsAtOnce, async (node) => {
      await registerNode(admin, obmd, node);
      tick();
    });
    const nics = nodes.reduce((sum, node) => sum + node.nics.length, 0);
    return `${nodes.length} with ${nics} nics, each nic on a switch port`;
  });

const registerNode = async (admin: Api, obmd: DemoObmd, { label, metadata, nics }: RackNode): Promise<void> => {
  await obmd.add(label);
  await admin.put(`/node/${label}`, { obmd: { uri: obmd.uri(label), admin_token: obmd.adminToken }, metadata });
  for (const nic of nics) {
    const port = `/switch/${nic.switch}/port/${nic.port}`;
    await admin.put(`/node/${label}/nic/${nic.label}`, { macaddr: nic.macaddr });
    await admin.put(port);
    await admin.post(`${port}/connect_nic`, { node: label, nic: nic.label });
  }
};

const admitTenants = ({ admin, progress }: Fillers): Promise<void> =>
  progress.step('projects', tenants.length, async (tick) => {
    await eachOf(tenants, requestsAtOnce, async ({ project, user }) => {
      await admin.put(`/project/${project}`);
      await admin.put(`/auth/basic/user/${user}`, { password: passwordOf(user) });
      await admin.post(`/auth/basic/user/${user}/add_project`, { project });
      tick();
    });
    return `${tenants.map(({ project }) => project).join(', ')}; a user in each`;
  });

const createNetworks = ({ admin, progress }: Fillers): Promise<void> => {
  const wanted = tenants.flatMap((tenant) => tenant.networks.map((label) => ({ label, tenant })));
  return progress.step('networks', 1 + wanted.length, async (tick) => {
    await admin.put(`/network/${publicNetwork}`, { owner: 'admin', access: '', net_id: '' });
    tick();
    for (const { label, tenant } of wanted) {
      const { project } = tenant;
      await asTenant(admin, tenant).put(`/network/${label}`, { owner: project, access: project, net_id: '' });
      tick();
    }
    return [`${publicNetwork} (public)`, ...wanted.map(({ label }) => label)].join(', ');
  });
};

const reserveAndConnect = ({ admin, progress }: Fillers): Promise<void> => {
  const nodes = tenants.flatMap((tenant) => tenant.nodes.map((node) => ({ node, tenant })));
  const count = tenants.reduce((sum, tenant) => sum + tenant.connections.length, 0);
  return progress.step('tenants', nodes.length + count, async (tick) => {
    await eachOf(nodes, requestsAtOnce, async ({ node, tenant }) => {
      const api = asTenant(admin, tenant);
      await api.post(`/project/${tenant.project}/connect_node`, { node });
      tick();
      // One after the other: a nic takes one change at a time.
      for (const connection of tenant.connections.filter((candidate) => candidate.node === node)) {
        const { nic, network, tagged } = connection;
        const channel = tagged === true ? { channel: await taggedChannel(api, network) } : {};
        await settled(api, api.post(`/node/${node}/nic/${nic}/connect_network`, { network, ...channel }));
        tick();
      }
    });
    return `${nodes.length} nodes reserved, ${count} attachments to networks`;
  });
};

const finishTouches = ({ admin, progress }: Fillers): Promise<void> =>
  progress.step('extras', 2, async (tick) => {
    const [tenant] = tenants;
    if (tenant === undefined) return 'none';
    const api = asTenant(admin, tenant);
    const { label, hnic, network, image } = headnode;
    await api.put(`/headnode/${label}`, { project: tenant.project, base_img: image });
    await api.put(`/headnode/${label}/hnic/${hnic}`);
    await api.post(`/headnode/${label}/hnic/${hnic}/connect_network`, { network });
    await api.post(`/headnode/${label}/start`);
    tick();
    await api.put(`/node/${managedNode}/obm`, { enabled: true });
    await api.post(`/node/${managedNode}/power_on`);
    tick();
    return `headnode ${label} runs, OBM of ${managedNode} is enabled`;
  });

const asTenant = (admin: Api, { user }: Tenant): Api => admin.as(user, passwordOf(user));

/** The channel that carries a network tagged; which VLAN that is, the service chose. */
const taggedChannel = async (api: Api, network: string): Promise<string> => {
  const answer = await api.get(`/network/${network}`);
  const channels = typeof answer === 'object' && answer !== null && 'channels' in answer ? answer.channels : [];
  const tagged: unknown = Array.isArray(channels) ? channels.find((channel) => channel !== 'vlan/native') : undefined;
  if (typeof tagged !== 'string') throw new Error(`network ${network} has no tagged channel`);
  return tagged;
};
