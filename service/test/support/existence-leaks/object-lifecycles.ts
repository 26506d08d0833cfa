import { sessionOf } from '../authorization/authorization-identity-cases.ts';
import type { Rig } from '../authorization/authorization-rig.ts';
import type { Kind } from './object-names.ts';
import type { Labels } from './object-views.ts';
import { runSql } from '../services/run-sql.ts';
import { connect, detach, done } from '../services/world.ts';

/*
 * How an object of each kind comes to have everything it can have, and how it goes. Whatever was attached to it is
 * what a later one of the same label must not inherit.
 */

/** The life of an object of one kind. */
interface ObjectLifecycle {
  /** Makes one under this label with all that there is; gives the labels that a call needs to name it. */
  full(rig: Rig, label: string): Promise<Labels>;
  /** Takes from it what must go before it can be deleted. */
  release?(rig: Rig, its: Labels): Promise<unknown>;
  /** Where it is made and deleted; null: it is not made by a call. */
  readonly path: ((its: Labels) => string) | null;
  /** The body that makes one with nothing. */
  readonly bare?: (rig: Rig, its: Labels) => unknown;
}

const of = (its: Labels, kind: Kind): string => its[kind] ?? '';
const put = (rig: Rig, path: string, body?: unknown) => done(rig.service.admin.put(path, body));
const post = (rig: Rig, path: string, body?: unknown) => done(rig.service.admin.post(path, body));

const ofNode = (its: Labels): string => `/node/${of(its, 'node')}`;
const ofHeadnode = (its: Labels): string => `/headnode/${of(its, 'headnode')}`;
const ofHnic = (its: Labels): string => `${ofHeadnode(its)}/hnic/${of(its, 'hnic')}`;
const ofPort = (its: Labels): string => `/switch/${of(its, 'switch')}/port/${of(its, 'port')}`;
const mock = { type: 'mock', hostname: 'h', username: 'u', password: 'p' };
const image = { project: 'red', base_img: 'base' };
const ofRed = { owner: 'red', access: 'red', net_id: '' };
const obmdOf = (rig: Rig, node: string) => ({ obmd: { uri: rig.obmd.uri(node), admin_token: rig.obmd.adminToken } });

/** A node of project red: plugged in, on a network, with metadata, and with its OBM enabled. */
const fullNode = async (rig: Rig, node: string, nic = 'eth0'): Promise<Labels> => {
  const its = { node, nic, switch: 'sw', port: `${node}/${nic}`, network: await rig.network('red', 'red') };
  rig.obmd.add(node);
  await put(rig, ofNode(its), obmdOf(rig, node));
  await put(rig, `${ofNode(its)}/nic/${nic}`, { macaddr: 'aa' });
  await put(rig, ofPort(its));
  await post(rig, `${ofPort(its)}/connect_nic`, { node, nic });
  await post(rig, '/project/red/connect_node', { node });
  await put(rig, `${ofNode(its)}/metadata/secret`, { value: 'of the old' });
  await put(rig, `${ofNode(its)}/obm`, { enabled: true });
  await put(rig, `${ofNode(its)}/boot_device`, { bootdev: 'disk' });
  await connect(rig.service, node, nic, its.network);
  return its;
};

const unplug = async (rig: Rig, its: Labels): Promise<void> => {
  await detach(rig.service, of(its, 'node'), of(its, 'nic'), of(its, 'network'));
  await put(rig, `${ofNode(its)}/obm`, { enabled: false });
  await post(rig, '/project/red/detach_node', { node: of(its, 'node') });
  await post(rig, `${ofPort(its)}/detach_nic`);
};

const fullHeadnode = async (rig: Rig, headnode: string, hnic = 'eth0'): Promise<Labels> => {
  const its = { headnode, hnic };
  await put(rig, ofHeadnode(its), image);
  await put(rig, ofHnic(its));
  await post(rig, `${ofHnic(its)}/connect_network`, { network: await rig.network('red', 'red') });
  return its;
};

/** The life of every kind. */
export const lifecycles: Readonly<Record<Kind, ObjectLifecycle>> = {
  project: {
    full: async (rig, project) => {
      await put(rig, `/project/${project}`);
      for (const user of ['member', 'other']) await post(rig, `/auth/basic/user/${user}/add_project`, { project });
      const network = await rig.network('red', 'red');
      await put(rig, `/network/${network}/access/${project}`);
      return { project, network };
    },
    release: (rig, its) => done(rig.service.admin.del(`/network/${of(its, 'network')}/access/${of(its, 'project')}`)),
    path: (its) => `/project/${of(its, 'project')}`,
  },
  node: {
    full: (rig, node) => fullNode(rig, node),
    release: async (rig, its) => {
      await unplug(rig, its);
      await done(rig.service.admin.del(`${ofNode(its)}/bmc`));
      await done(rig.service.admin.del(`${ofNode(its)}/nic/${of(its, 'nic')}`));
    },
    path: ofNode,
    bare: (rig, its) => obmdOf(rig, of(its, 'node')),
  },
  nic: {
    full: (rig, nic) => fullNode(rig, rig.fresh('node'), nic),
    release: unplug,
    path: (its) => `${ofNode(its)}/nic/${of(its, 'nic')}`,
    bare: () => ({ macaddr: 'bb' }),
  },
  metadata: {
    full: async (rig, metadata) => {
      const its = { node: await rig.node(), metadata };
      await put(rig, `${ofNode(its)}/metadata/${metadata}`, { value: { of: 'the old' } });
      return its;
    },
    path: (its) => `${ofNode(its)}/metadata/${of(its, 'metadata')}`,
    bare: () => ({ value: 1 }),
  },
  network: {
    full: async (rig, network) => {
      await put(rig, `/network/${network}`, ofRed);
      await put(rig, `/network/${network}/access/blue`);
      const node = await rig.node();
      await connect(rig.service, node, 'eth0', network);
      return { network, node };
    },
    release: (rig, its) => detach(rig.service, of(its, 'node'), 'eth0', of(its, 'network')),
    path: (its) => `/network/${of(its, 'network')}`,
    bare: () => ofRed,
  },
  headnode: {
    full: async (rig, headnode) => {
      const its = await fullHeadnode(rig, headnode);
      await post(rig, `${ofHeadnode(its)}/start`);
      return its;
    },
    release: (rig, its) => post(rig, `${ofHeadnode(its)}/stop`),
    path: ofHeadnode,
    bare: () => image,
  },
  hnic: {
    full: (rig, hnic) => fullHeadnode(rig, rig.fresh('headnode'), hnic),
    release: (rig, its) => post(rig, `${ofHnic(its)}/detach_network`),
    path: ofHnic,
  },
  switch: {
    full: async (rig, label) => {
      const its = { switch: label, port: 'gi1/0/1' };
      await put(rig, `/switch/${label}`, mock);
      await put(rig, ofPort(its));
      await put(rig, `/switch/${label}/policy`, { policy: 'repair' });
      return its;
    },
    release: (rig, its) => done(rig.service.admin.del(ofPort(its))),
    path: (its) => `/switch/${of(its, 'switch')}`,
    bare: () => mock,
  },
  port: {
    full: async (rig, port) => {
      const its = { switch: 'sw', port };
      const node = await rig.bareNode();
      await put(rig, `/node/${node}/nic/eth0`, { macaddr: 'aa' });
      await put(rig, ofPort(its));
      await post(rig, `${ofPort(its)}/connect_nic`, { node, nic: 'eth0' });
      return its;
    },
    release: (rig, its) => post(rig, `${ofPort(its)}/detach_nic`),
    path: ofPort,
  },
  user: {
    full: async (rig, user) => {
      await put(rig, `/auth/basic/user/${user}`, { password: 'old password', is_admin: true });
      await post(rig, `/auth/basic/user/${user}/add_project`, { project: 'red' });
      return { user };
    },
    path: (its) => `/auth/basic/user/${of(its, 'user')}`,
    bare: () => ({ password: 'new password' }),
  },
  action: {
    full: async (rig) => {
      const node = await rig.node();
      return { node, action: await rig.action(node) };
    },
    // A record lives until the next action on its nic.
    release: (rig, its) => rig.action(of(its, 'node')),
    path: null,
  },
  release: {
    full: async (rig) => ({ release: await rig.release() }),
    // It is deleted a week after it has ended.
    release: async (rig, its) => {
      const statement = `delete from releases where label = '${of(its, 'release')}'`;
      await runSql(rig.service, { sqlite: statement, postgres: statement });
    },
    path: null,
  },
  claim: {
    full: async (rig) => ({ claim: await rig.claim() }),
    // It is deleted a week after it has ended.
    release: async (rig, its) => {
      await done(rig.service.admin.del(`/claim/${of(its, 'claim')}`));
      const statement = `delete from claims where label = '${of(its, 'claim')}'`;
      await runSql(rig.service, { sqlite: statement, postgres: statement });
    },
    path: null,
  },
  cleaning: {
    full: async (rig) => {
      const node = await rig.bareNode();
      const { body } = await post(rig, `/node/${node}/quarantine`, { reason: 'broken' });
      return { node, cleaning: (body as { cleaning: string }).cleaning };
    },
    // It goes with its node.
    release: (rig, its) => done(rig.service.admin.del(ofNode(its))),
    path: null,
  },
  leftover: {
    full: async (rig) => ({ leftover: await rig.leftover() }),
    release: (rig, its) => done(rig.service.admin.del(`/headnode_leftover/${of(its, 'leftover')}`)),
    path: null,
  },
  session: {
    full: async (rig) => ({ session: await sessionOf(rig, await rig.user()) }),
    release: (rig, its) => done(rig.service.admin.del(`/auth/sessions/${of(its, 'session')}`)),
    path: null,
  },
  token: {
    full: async (rig, token) => {
      const user = await rig.user();
      await done(rig.service.as(user).put(`/auth/token/${token}`, {}));
      return { user, token };
    },
    release: (rig, its) => done(rig.service.admin.del(`/auth/token/${of(its, 'token')}?user=${of(its, 'user')}`)),
    path: null,
  },
  subscription: {
    full: async (rig, subscription) => {
      await put(rig, `/subscription/${subscription}`, { project: 'red', url: 'http://127.0.0.1:9/hook' });
      return { subscription };
    },
    path: (its) => `/subscription/${of(its, 'subscription')}`,
    bare: () => ({ url: 'http://127.0.0.1:9/other' }),
  },
};

/** Deletes an object, with all that it has. */
export const end = async (rig: Rig, kind: Kind, its: Labels): Promise<void> => {
  await lifecycles[kind].release?.(rig, its);
  await forget(rig, kind, its);
};

/** Makes an object that has nothing. */
export const makeBare = async (rig: Rig, kind: Kind, its: Labels): Promise<void> => {
  const { path, bare } = lifecycles[kind];
  if (path) await put(rig, path(its), bare?.(rig, its));
};

/** Deletes an object that has nothing. */
export const forget = async (rig: Rig, kind: Kind, its: Labels): Promise<void> => {
  const { path } = lifecycles[kind];
  if (path) await done(rig.service.admin.del(path(its)));
};
