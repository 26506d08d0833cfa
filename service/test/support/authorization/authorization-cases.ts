import { admin, type Call, type Case, type Cases, named, nothing, project, users } from './authorization-case.ts';
import { networkCases } from './authorization-network-cases.ts';
import { identityCases } from './authorization-identity-cases.ts';
import { nodeCases } from './authorization-node-cases.ts';
import type { Rig } from './authorization-rig.ts';

/*
 * Who may make which call, from section 4 of the interface and the decisions on it. A call is tried on
 * fresh objects of project red; `member` is in red, `other` in blue, `outsider` in no project.
 */

const ofProject: readonly Case[] = [{ given: (rig) => named({ project: rig.red }), letIn: project }];

const projectCases: Cases = {
  list_projects: [{ given: nothing, letIn: admin }],
  project_create: [{ given: (rig) => named({ project: rig.fresh('project') }), letIn: admin }],
  project_delete: [{ given: async (rig) => named({ project: await rig.project() }), letIn: admin }],
  project_connect_node: [
    { given: async (rig) => named({ project: rig.red }, { node: await rig.freeNode() }), letIn: project },
    {
      when: 'by force',
      given: async (rig) => named({ project: rig.red }, { node: await rig.freeNode(), force: true }),
      letIn: admin,
    },
  ],
  project_detach_node: [
    { given: async (rig) => named({ project: rig.red }, { node: await rig.node() }), letIn: project },
  ],
  project_release_nodes: [
    { given: async (rig) => named({ project: rig.red }, { nodes: [await rig.node()] }), letIn: project },
  ],
  show_release: [{ given: async (rig) => named({ release: await rig.release() }), letIn: project }],
  list_project_releases: ofProject,
  projects_overview: [{ given: nothing, letIn: users }],
  headnodes_overview: [
    { given: nothing, letIn: users },
    { when: 'of the project', given: (rig) => ({ query: `?project=${rig.red}` }), letIn: project },
  ],
  actions_overview: [{ given: nothing, letIn: users }],
  project_claim: [
    {
      given: async (rig) => {
        const node = await rig.freeNode();
        await rig.service.admin.put(`/node/${node}/metadata/${node}`, { value: true });
        return named({ project: rig.red }, { count: 1, match: { metadata: { [node]: { present: true } } } });
      },
      letIn: project,
    },
    {
      when: 'by a switch, for administrators',
      given: async (rig) => {
        await rig.freeNode();
        return named({ project: rig.red }, { count: 1, match: { switch: 'sw' } });
      },
      letIn: admin,
    },
    {
      when: 'that waits',
      given: async (rig) => named({ project: rig.red }, await rig.waitingFor()),
      letIn: project,
      status: 202,
    },
  ],
  project_claim_preview: [
    {
      given: (rig) => named({ project: rig.red }, { count: 100 }),
      letIn: project,
    },
  ],
  list_project_claims: ofProject,
  show_claim: [{ given: async (rig) => named({ claim: await rig.claim() }), letIn: project }],
  claim_cancel: [{ given: async (rig) => named({ claim: await rig.claim() }), letIn: project }],
  list_project_nodes: ofProject,
  list_project_networks: ofProject,
  list_project_headnodes: ofProject,
  list_project_quotas: ofProject,
  list_usage: [{ given: () => ({ query: '?by=project,class,node,month' }), letIn: users }],
  list_quotas: [{ given: nothing, letIn: admin }],
  quota_set: [
    { given: async (rig) => named({ what: 'nodes' }, { project: await rig.project(), limit: 3 }), letIn: admin },
  ],
  quota_delete: [
    {
      given: async (rig) => {
        const label = await rig.project();
        await rig.service.admin.put('/quota/headnodes', { project: label, limit: 3 });
        return { ...named({ what: 'headnodes' }), query: `?project=${label}` };
      },
      letIn: admin,
    },
  ],
};

const onHeadnode =
  (prepare: (rig: Rig, headnode: string) => Promise<unknown> = () => Promise.resolve()) =>
  async (rig: Rig) => {
    const headnode = await rig.headnode();
    await prepare(rig, headnode);
    return named({ headnode, hnic: 'eth0' });
  };
const start = (rig: Rig, headnode: string) => rig.service.admin.post(`/headnode/${headnode}/start`);

const headnodeCases: Cases = {
  list_headnode_images: [{ given: nothing, letIn: users }],
  show_headnode: [{ given: onHeadnode(), letIn: project }],
  headnode_create: [
    {
      given: (rig) => named({ headnode: rig.fresh('headnode') }, { project: rig.red, base_img: 'base' }),
      letIn: project,
    },
  ],
  headnode_delete: [{ given: onHeadnode(), letIn: project }],
  headnode_start: [{ given: onHeadnode(), letIn: project }],
  headnode_stop: [{ given: onHeadnode(start), letIn: project }],
  // Whoever is let in is told that it is a WebSocket.
  headnode_vnc: [{ given: onHeadnode(start), letIn: project, status: 400 }],
  headnode_delete_leftover: [{ given: async (rig) => named({ uuid: await rig.leftover() }), letIn: admin }],
  headnode_create_hnic: [
    { given: async (rig) => named({ headnode: await rig.headnode(), hnic: 'eth1' }), letIn: project },
  ],
  headnode_delete_hnic: [{ given: onHeadnode(), letIn: project }],
  headnode_connect_network: [
    {
      given: async (rig) => ({ ...(await onHeadnode()(rig)), body: { network: await rig.network(rig.red, rig.red) } }),
      letIn: project,
    },
  ],
  headnode_detach_network: [
    {
      given: onHeadnode(async (rig, headnode) =>
        rig.service.admin.post(`/headnode/${headnode}/hnic/eth0/connect_network`, {
          network: await rig.network(rig.red, rig.red),
        }),
      ),
      letIn: project,
    },
  ],
};

const port = async (rig: Rig, node: string | Promise<string>): Promise<Call> =>
  named({ switch: 'sw', port: `${await node}/eth0` });
const emptyPort = async (rig: Rig): Promise<Call> => {
  const label = rig.fresh('port');
  await rig.service.admin.put(`/switch/sw/port/${label}`);
  return named({ switch: 'sw', port: label });
};

const switchCases: Cases = {
  list_switches: [{ given: nothing, letIn: admin }],
  switches_overview: [{ given: nothing, letIn: admin }],
  switch_overview: [{ given: () => named({ switch: 'sw' }), letIn: admin }],
  list_switch_types: [{ given: nothing, letIn: admin }],
  show_switch: [{ given: () => named({ switch: 'sw' }), letIn: admin }],
  switch_register: [
    {
      given: (rig) =>
        named({ switch: rig.fresh('switch') }, { type: 'mock', hostname: 'h', username: 'u', password: 'p' }),
      letIn: admin,
    },
  ],
  switch_update: [
    { given: async (rig) => named({ switch: await rig.bareSwitch() }, { password: 'another' }), letIn: admin },
  ],
  switch_delete: [{ given: async (rig) => named({ switch: await rig.bareSwitch() }), letIn: admin }],
  show_port: [{ given: (rig) => port(rig, rig.node()), letIn: admin }],
  switch_register_port: [{ given: (rig) => named({ switch: 'sw', port: rig.fresh('port') }), letIn: admin }],
  switch_delete_port: [{ given: emptyPort, letIn: admin }],
  port_connect_nic: [
    {
      given: async (rig) => {
        const node = await rig.bareNode();
        await rig.service.admin.put(`/node/${node}/nic/eth1`, { macaddr: 'm' });
        return { ...(await emptyPort(rig)), body: { node, nic: 'eth1' } };
      },
      letIn: admin,
    },
  ],
  port_detach_nic: [{ given: (rig) => port(rig, rig.freeNode()), letIn: admin }],
  port_revert: [{ given: (rig) => port(rig, rig.node()), letIn: admin }],
  list_active_extensions: [{ given: nothing, letIn: admin }],
  show_drift: [{ given: nothing, letIn: admin }],
  show_switch_drift: [{ given: () => named({ switch: 'sw' }), letIn: admin }],
  show_node_wiring: [{ given: async (rig) => named({ node: await rig.node() }), letIn: admin }],
  show_switch_wiring: [{ given: () => named({ switch: 'sw' }), letIn: admin }],
  switch_sweep: [{ given: () => named({ switch: 'sw' }), letIn: admin }],
  switch_test: [{ given: () => named({ switch: 'sw' }, {}), letIn: admin }],
  switch_set_policy: [
    { given: async (rig) => named({ switch: await rig.bareSwitch() }, { policy: 'repair' }), letIn: admin },
  ],
};

const userCases: Cases = {
  list_users: [{ given: nothing, letIn: admin }],
  user_create: [{ given: (rig) => named({ username: rig.fresh('user') }, { password: 'secret' }), letIn: admin }],
  user_delete: [{ given: async (rig) => named({ username: await rig.user() }), letIn: admin }],
  user_set_admin: [{ given: async (rig) => named({ username: await rig.user() }, { is_admin: true }), letIn: admin }],
  // One's own is tried in user-password.test.ts: it would change who the callers are.
  user_set_password: [
    { given: async (rig) => named({ username: await rig.user() }, { password: 'another password' }), letIn: admin },
  ],
  // One's own is tried in mail-subscriptions.test.ts.
  show_user_mail: [{ given: async (rig) => named({ username: await rig.user() }), letIn: admin }],
  user_set_mail: [
    { given: async (rig) => named({ username: await rig.user() }, { address: 'somebody@example.org' }), letIn: admin },
  ],
  user_add_project: [{ given: async (rig) => named({ user: await rig.user() }, { project: rig.red }), letIn: admin }],
  user_remove_project: [
    { given: async (rig) => named({ user: await rig.user(rig.red) }, { project: rig.red }), letIn: admin },
  ],
};

const eventCases: Cases = {
  list_events: [
    { given: nothing, letIn: users },
    { when: 'of one project', given: (rig) => ({ query: `?project=${rig.red}` }), letIn: project },
  ],
  stream_events: [{ given: nothing, letIn: users }],
};

const onSubscription =
  (body?: unknown) =>
  async (rig: Rig): Promise<Call> =>
    named({ subscription: await rig.subscription() }, body);
const url = 'http://127.0.0.1:9/hook';
const ofTheSite = async (rig: Rig): Promise<Call> => {
  const subscription = rig.fresh('subscription');
  await rig.service.admin.put(`/subscription/${subscription}`, { url });
  return named({ subscription });
};

const subscriptionCases: Cases = {
  list_subscriptions: [
    { given: nothing, letIn: users },
    { when: 'of one project', given: (rig) => ({ query: `?project=${rig.red}` }), letIn: project },
  ],
  show_subscription: [
    { given: onSubscription(), letIn: project },
    { when: 'of the site', given: ofTheSite, letIn: admin },
  ],
  subscription_create: [
    {
      given: async (rig) => named({ subscription: await rig.freshSubscription() }, { project: rig.red, url }),
      letIn: project,
    },
    {
      when: 'of the site',
      given: (rig) => named({ subscription: rig.fresh('subscription') }, { url }),
      letIn: admin,
    },
  ],
  // Members subscribe only themselves: mail-subscriptions.test.ts.
  subscription_create_mail: [
    {
      given: async (rig) =>
        named({ subscription: await rig.freshSubscription() }, { project: rig.red, address: 'somebody@example.org' }),
      letIn: admin,
    },
  ],
  subscription_update: [
    { given: onSubscription({ paused: true }), letIn: project },
    {
      when: 'of the site',
      given: async (rig) => ({ ...(await ofTheSite(rig)), body: { paused: true } }),
      letIn: admin,
    },
  ],
  subscription_delete: [
    { given: onSubscription(), letIn: project },
    { when: 'of the site', given: ofTheSite, letIn: admin },
  ],
  subscription_rotate_secret: [{ given: onSubscription(), letIn: project }],
  subscription_test: [{ given: onSubscription(), letIn: project }],
  list_dead_letters: [{ given: onSubscription(), letIn: project }],
  // Those who are let in are answered that there is no such dead letter.
  subscription_resend: [{ given: onSubscription({ dead_letter: 1_000_000 }), letIn: project, status: 404 }],
};

/** The cases of every call. */
export const authorizationCases: Cases = {
  ...networkCases,
  ...nodeCases,
  ...projectCases,
  ...headnodeCases,
  ...switchCases,
  ...userCases,
  ...identityCases,
  ...eventCases,
  ...subscriptionCases,
};
