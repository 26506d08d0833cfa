import { type LabObmd, startLabObmd } from '@corral/lab';
import { rm } from 'node:fs/promises';
import type { EngineName } from '../services/engines.ts';
import type { CallerName } from './authorization-callers.ts';
import { basicSource, type Source } from './authorization-sources.ts';
import type { Client } from '../http/http-client.ts';
import { patient } from '../services/obm-rack.ts';
import { release, releaseEnded } from '../services/releases.ts';
import { type Service, startService } from '../services/service.ts';
import { makeLeftover } from '../headnodes/headnode-helpers.ts';
import { connect, detach, done, makeProject, makeUser, settled } from '../services/world.ts';

/** One service with an OBM daemon, two projects and the callers; makes fresh objects of project red on demand. */
export interface Rig {
  readonly service: Service;
  readonly obmd: LabObmd;
  readonly callers: Readonly<Record<CallerName, Client>>;
  /** The labels of the two projects. */
  readonly red: string;
  readonly blue: string;
  /** A label nobody has used. */
  fresh(kind: string): string;
  project(): Promise<string>;
  /** A free node without nics. */
  bareNode(): Promise<string>;
  /** A free node whose nic `eth0` is on port `<node>/eth0` of switch `sw`. */
  freeNode(): Promise<string>;
  /** The same in project red. */
  node(): Promise<string>;
  /** The same with its OBM enabled. */
  managedNode(): Promise<string>;
  /** The same on a network of project red. */
  attachedNode(): Promise<{ node: string; network: string }>;
  network(owner: string, access: string): Promise<string>;
  /** A headnode of project red with an hnic `eth0`. */
  headnode(): Promise<string>;
  /** The uuid of a machine on the hypervisor that no headnode is recorded for. */
  leftover(): Promise<string>;
  /** A switch without ports. */
  bareSwitch(): Promise<string>;
  user(...projects: string[]): Promise<string>;
  /** A claim that has to wait: for a node that project red has already. */
  waitingFor(): Promise<object>;
  /** The id of a claim of project red that waits. */
  claim(): Promise<string>;
  /** Of project red, to where nobody listens. */
  subscription(): Promise<string>;
  /** A label for another one, for which project red has room. */
  freshSubscription(): Promise<string>;
  /** The id of an action that was done on the node. */
  action(node: string): Promise<string>;
  /** The id of a release that is done, of a node of project red. */
  release(): Promise<string>;
  close(): Promise<void>;
}

const adminToken = 'token of the rig';

export const makeRig = async (engine: EngineName, source: Source = basicSource): Promise<Rig> => {
  const { red, blue } = source;
  // A busy machine may take a second to answer for its BMCs.
  const service = await startService(engine, {
    ...patient,
    CORRAL_WEBHOOKS_PROJECT_TARGETS: '127.0.0.1',
    // Nobody listens there.
    CORRAL_MAIL_HOST: '127.0.0.1',
    CORRAL_MAIL_PORT: '9',
    CORRAL_MAIL_FROM: 'corral@example.org',
    ...source.env,
  });
  const obmd = await startLabObmd({ adminToken });
  const { admin } = service;
  let count = 0;
  const fresh = (kind: string): string => `${kind}-${(count += 1)}`;
  const make = async (kind: string, work: (label: string) => Promise<unknown>): Promise<string> => {
    const label = fresh(kind);
    await work(label);
    return label;
  };

  await makeProject(service, red);
  await makeProject(service, blue);
  const registerSwitch = (label: string) =>
    done(admin.put(`/switch/${label}`, { type: 'mock', hostname: 'h', username: 'u', password: 'p' }));
  await registerSwitch('sw');
  const callers = { anonymous: service.anonymous, ...(await source.callers(service)) };

  const bareNode = () =>
    make('node', (node) => {
      obmd.add(node);
      return done(admin.put(`/node/${node}`, { obmd: { uri: obmd.uri(node), admin_token: adminToken } }));
    });
  const freeNode = async () => {
    const node = await bareNode();
    await done(admin.put(`/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:01' }));
    await done(admin.put(`/switch/sw/port/${node}/eth0`));
    await done(admin.post(`/switch/sw/port/${node}/eth0/connect_nic`, { node, nic: 'eth0' }));
    return node;
  };
  const node = async () => {
    const label = await freeNode();
    await done(admin.post(`/project/${red}/connect_node`, { node: label }));
    return label;
  };
  const network = (owner: string, access: string) =>
    make('network', (label) => done(admin.put(`/network/${label}`, { owner, access, net_id: '' })));

  const waitingFor = async () => {
    // A project has few claims that wait.
    const claims = (await done(admin.get(`/project/${red}/claims`))).body as { claim: string; state: string }[];
    const [first, ...others] = claims.filter(({ state }) => state === 'waiting');
    if (first && others.length > 4) await done(admin.del(`/claim/${first.claim}`));
    const label = await node();
    await done(admin.put(`/node/${label}/metadata/${label}`, { value: true }));
    return { count: 1, match: { metadata: { [label]: { present: true } } }, wait: true };
  };
  const ownSubscriptions: string[] = [];
  /** A label for a subscription. A project can have only so many, so only the last few of those made here are left. */
  const freshSubscription = async (): Promise<string> => {
    // Some are deleted already.
    for (const old of ownSubscriptions.splice(0, Math.max(0, ownSubscriptions.length - 3)))
      await admin.del(`/subscription/${old}`);
    const label = fresh('subscription');
    ownSubscriptions.push(label);
    return label;
  };

  return {
    service,
    obmd,
    callers,
    red,
    blue,
    fresh,
    project: () => make('project', (label) => makeProject(service, label)),
    bareNode,
    freeNode,
    node,
    managedNode: async () => {
      const label = await node();
      await done(admin.put(`/node/${label}/obm`, { enabled: true }));
      return label;
    },
    attachedNode: async () => {
      const attached = { node: await node(), network: await network(red, red) };
      await connect(service, attached.node, 'eth0', attached.network);
      return attached;
    },
    network,
    headnode: () =>
      make('headnode', async (label) => {
        await done(admin.put(`/headnode/${label}`, { project: red, base_img: 'base' }));
        await done(admin.put(`/headnode/${label}/hnic/eth0`));
      }),
    leftover: () => makeLeftover(service),
    bareSwitch: () => make('switch', registerSwitch),
    user: (...projects) => make('user', (label) => makeUser(service, label, ...projects)),
    waitingFor,
    claim: async () => {
      const answer = await done(admin.post(`/project/${red}/claim`, await waitingFor()));
      return (answer.body as { claim: string }).claim;
    },
    subscription: async () => {
      const label = await freshSubscription();
      await done(admin.put(`/subscription/${label}`, { project: red, url: 'http://127.0.0.1:9/hook' }));
      return label;
    },
    freshSubscription,
    action: async (on) => {
      const queued = await admin.post(`/switch/sw/port/${on}/eth0/revert`);
      await settled(service, queued);
      return (queued.body as { status_id: string }).status_id;
    },
    release: async () => {
      const [id = ''] = await release(admin, red, await node());
      await releaseEnded(admin, id);
      return id;
    },
    close: async () => {
      await service.stop();
      await obmd.close();
      await rm(service.dataDir, { recursive: true, force: true });
    },
  };
};

/** Detaches a node of project red from its network and frees it. */
export const free = async (rig: Rig, node: string, network: string): Promise<void> => {
  await detach(rig.service, node, 'eth0', network);
  await done(rig.service.admin.post(`/project/${rig.red}/detach_node`, { node }));
};
