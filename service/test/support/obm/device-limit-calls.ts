import type { LabObmd } from '@corral/lab';
import type { Client } from '../http/http-client.ts';
import { makeHeadnode } from '../headnodes/headnode-helpers.ts';
import { registerNode, setObm } from '../services/obm-rack.ts';
import type { Service } from '../services/service.ts';
import { Watcher } from './console-watcher.ts';
import { connect, done, eventually, makeNetwork, makeNode, makeProject, makeUser, reserve } from '../services/world.ts';

/** Where a lever is pulled: a project of its own, a member of it, and the daemon that its nodes have. */
export interface DeviceLimitFixture {
  readonly service: Service;
  readonly obmd: LabObmd;
  readonly project: string;
  readonly member: Client;
}

/** A way in which a tenant has the service talk to a device. */
export interface DeviceLimitCall {
  /** Makes what so many calls need, and tells how to make each of them. */
  readonly prepare: (
    scene: DeviceLimitFixture,
    calls: number,
  ) => Promise<(index: number, client: Client) => Promise<number>>;
  /** How many calls of the device one of ours is, at most. */
  readonly deviceCalls: number;
}

let scenes = 0;

/** A project with a member, whose labels nobody else has. */
export const makeFixture = async (service: Service, obmd: LabObmd, name: string): Promise<DeviceLimitFixture> => {
  const project = `${name}-${++scenes}`;
  await makeProject(service, project);
  return { service, obmd, project, member: await makeUser(service, `member-of-${project}`, project) };
};

/** A node of the project whose OBM is enabled. */
export const makeManaged = async (
  { service, obmd, project }: DeviceLimitFixture,
  node = `node-${project}`,
): Promise<string> => {
  obmd.add(node);
  await registerNode(service, node, obmd.uri(node));
  await reserve(service, project, node);
  await setObm(service.admin, true, node);
  return node;
};

/** How often a device of the project was called. */
export const deviceCallsOf = (obmd: LabObmd, node: string): number =>
  obmd.calls.filter(({ path }) => path.startsWith(`/node/${node}/`)).length;

const onNode = (
  call: (client: Client, node: string, index: number) => Promise<{ readonly status: number }>,
): DeviceLimitCall['prepare'] => {
  return async (scene) => {
    const node = await makeManaged(scene);
    return async (index, client) => (await call(client, node, index)).status;
  };
};

const onHeadnodes = (
  call: (client: Client, headnode: string) => Promise<{ readonly status: number }>,
  prepare: (scene: DeviceLimitFixture, headnode: string) => Promise<unknown> = () => Promise.resolve(),
): DeviceLimitCall['prepare'] => {
  return async (scene, calls) => {
    const headnode = (index: number): string => `headnode-${scene.project}-${index}`;
    for (let index = 0; index < calls; index += 1) {
      await makeHeadnode(scene.service, headnode(index), scene.project);
      await prepare(scene, headnode(index));
    }
    return async (index, client) => (await call(client, headnode(index))).status;
  };
};

const started = ({ service }: DeviceLimitFixture, headnode: string): Promise<unknown> =>
  done(service.admin.post(`/headnode/${headnode}/start`));

const onNics = (what: 'connect_network' | 'detach_network'): DeviceLimitCall['prepare'] => {
  return async (scene, calls) => {
    const { service, project } = scene;
    const node = `node-${project}`;
    const network = `net-${project}`;
    await makeNetwork(service, network, project);
    const nics = Array.from({ length: calls }, (_, index) => `eth${index}`);
    await makeNode(service, node, nics, `switch-${project}`);
    await reserve(service, project, node);
    if (what === 'detach_network') for (const nic of nics) await connect(service, node, nic, network);
    return async (index, client) =>
      (await client.post(`/node/${node}/nic/${nics[index] ?? ''}/${what}`, { network })).status;
  };
};

/** Every call by which a tenant has a device changed, or a line to it opened. */
export const changes: Readonly<Record<string, DeviceLimitCall>> = {
  node_set_obm: {
    prepare: onNode((client, node, index) => client.put(`/node/${node}/obm`, { enabled: index % 2 === 1 })),
    deviceCalls: 1,
  },
  node_power_on: { prepare: onNode((client, node) => client.post(`/node/${node}/power_on`)), deviceCalls: 1 },
  node_power_off: { prepare: onNode((client, node) => client.post(`/node/${node}/power_off`)), deviceCalls: 1 },
  node_power_cycle: { prepare: onNode((client, node) => client.post(`/node/${node}/power_cycle`)), deviceCalls: 2 },
  node_set_bootdev: {
    prepare: onNode((client, node) => client.put(`/node/${node}/boot_device`, { bootdev: 'disk' })),
    deviceCalls: 1,
  },
  show_console: {
    prepare: async (scene) => {
      const node = await makeManaged(scene);
      return (_index, client) => {
        const watcher = new Watcher(scene.service, client, node);
        return eventually(() => watcher.status ?? undefined);
      };
    },
    deviceCalls: 1,
  },
  node_connect_network: { prepare: onNics('connect_network'), deviceCalls: 0 },
  node_detach_network: { prepare: onNics('detach_network'), deviceCalls: 0 },
  headnode_create: {
    prepare: ({ project }) =>
      Promise.resolve(async (index, client) => {
        const answer = await client.put(`/headnode/new-${project}-${index}`, { project, base_img: 'base' });
        return answer.status;
      }),
    deviceCalls: 1,
  },
  headnode_delete: { prepare: onHeadnodes((client, headnode) => client.del(`/headnode/${headnode}`)), deviceCalls: 1 },
  // Whether the image is there is asked first.
  headnode_start: {
    prepare: onHeadnodes((client, headnode) => client.post(`/headnode/${headnode}/start`)),
    deviceCalls: 2,
  },
  headnode_stop: {
    prepare: onHeadnodes((client, headnode) => client.post(`/headnode/${headnode}/stop`), started),
    deviceCalls: 1,
  },
  headnode_vnc: {
    prepare: onHeadnodes((client, headnode) => client.get(`/headnode/${headnode}/vnc`), started),
    deviceCalls: 1,
  },
};

/** Every call by which a tenant has a device asked something. */
export const questions = ['list_headnode_images', 'network_reach', 'node_power_status', 'show_headnode'] as const;
