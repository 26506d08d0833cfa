import { admin, type Case, type Cases, everyone, named, nothing, project, users } from './authorization-case.ts';
import { free, type Rig } from './authorization-rig.ts';

const plug = { nic: 'eth0' };
const onNode = (body?: unknown) => async (rig: Rig) => named({ node: await rig.node() }, body);
const onManagedNode = (body?: unknown) => async (rig: Rig) => named({ node: await rig.managedNode() }, body);
const onBareNode = (body?: unknown) => async (rig: Rig) => named({ node: await rig.bareNode() }, body);
const onFreeNode = (body?: unknown) => async (rig: Rig) => named({ node: await rig.freeNode() }, body);

/** A cleaning of a node that is quarantined. */
const onCleaning = (body?: unknown) => async (rig: Rig) => {
  const node = await rig.bareNode();
  const answer = await rig.service.admin.post(`/node/${node}/quarantine`, { reason: 'broken' });
  await rig.service.admin.put(`/node/${node}/obm`, { enabled: true });
  return named({ cleaning: (answer.body as { cleaning: string }).cleaning }, body);
};

/** A call that needs OBM: on a free node, where it is not enabled, those who are let in get a 409. */
const order = (body?: unknown): readonly Case[] => [
  { when: 'of a node of the project', given: onManagedNode(body), letIn: project },
  { when: 'of a free node', given: onFreeNode(body), letIn: admin, status: 409 },
];

export const nodeCases: Cases = {
  list_nodes: [
    { when: 'all', given: () => named({ is_free: 'all' }), letIn: everyone },
    { when: 'free', given: () => named({ is_free: 'free' }), letIn: everyone },
  ],
  show_node: [
    { when: 'that is free', given: onFreeNode(), letIn: everyone },
    { when: 'of the project', given: onNode(), letIn: project },
  ],
  nodes_overview: [
    { given: () => ({}), letIn: everyone },
    { when: 'of the project', given: (rig) => ({ query: `?project=${rig.red}` }), letIn: project },
  ],
  node_overview: [
    { when: 'that is free', given: onFreeNode(), letIn: everyone },
    { when: 'of the project', given: onNode(), letIn: project },
  ],
  node_register: [
    {
      given: (rig) => named({ node: rig.fresh('node') }, { obmd: { uri: rig.obmd.uri('none'), admin_token: 'x' } }),
      letIn: admin,
    },
  ],
  show_obmd: [{ given: async (rig) => named({ node: await rig.bareNode() }), letIn: admin }],
  node_set_obmd: [
    {
      given: async (rig) => named({ node: await rig.bareNode() }, { uri: rig.obmd.uri('elsewhere'), admin_token: 'x' }),
      letIn: admin,
    },
  ],
  list_bmc_types: [{ given: nothing, letIn: admin }],
  list_bmcs: [{ given: nothing, letIn: admin }],
  show_bmc: [{ given: onBareNode(), letIn: admin }],
  bmc_register: [{ given: onBareNode({ type: 'mock', info: { addr: 'n' } }), letIn: admin }],
  bmc_delete: [{ given: onBareNode(), letIn: admin }],
  bmc_test: [{ given: onBareNode(), letIn: admin }],
  node_delete: [{ given: async (rig) => named({ node: await rig.bareNode() }), letIn: admin }],
  node_quarantine: [{ given: onBareNode({ reason: 'broken' }), letIn: admin }],
  list_cleanings: [{ given: nothing, letIn: admin }],
  show_cleaning: [{ given: onCleaning(), letIn: admin }],
  // Nothing is to be cleaned beside the other cases: OBM is enabled, which those who are let in are told.
  cleaning_retry: [{ given: onCleaning(), letIn: admin, status: 409 }],
  cleaning_skip: [{ given: onCleaning({ step: 'power', reason: 'no BMC' }), letIn: admin }],
  // The token decides, and nobody has it.
  cleaning_result: [
    { given: onCleaning({ step: 'power', token: 'guessed', outcome: 'clean' }), letIn: [], status: 401 },
  ],
  node_register_nic: [
    { given: async (rig) => named({ node: await rig.bareNode(), nic: 'eth1' }, { macaddr: 'm' }), letIn: admin },
  ],
  node_delete_nic: [
    {
      given: async (rig) => {
        const node = await rig.bareNode();
        await rig.service.admin.put(`/node/${node}/nic/eth1`, { macaddr: 'm' });
        return named({ node, nic: 'eth1' });
      },
      letIn: admin,
    },
  ],
  node_connect_network: [
    {
      when: 'on a node of the project',
      given: async (rig) =>
        named({ node: await rig.node(), ...plug }, { network: await rig.network(rig.red, rig.red) }),
      letIn: project,
    },
    {
      when: 'on a free node, which no project controls',
      given: async (rig) => named({ node: await rig.freeNode(), ...plug }, { network: await rig.network('admin', '') }),
      letIn: users,
      status: 409,
    },
  ],
  node_detach_network: [
    {
      when: 'on a node of the project',
      given: async (rig) => {
        const { node, network: attached } = await rig.attachedNode();
        return named({ node, ...plug }, { network: attached });
      },
      letIn: project,
    },
    {
      when: 'on a free node, which no project controls',
      given: async (rig) => named({ node: await rig.freeNode(), ...plug }, { network: await rig.network('admin', '') }),
      letIn: users,
      status: 409,
    },
  ],
  show_networking_action: [
    {
      when: 'on a node of the project',
      given: async (rig) => named({ status_id: await rig.action(await rig.node()) }),
      letIn: project,
    },
    {
      when: 'on a node that has left the project',
      given: async (rig) => {
        const { node, network: attached } = await rig.attachedNode();
        await free(rig, node, attached);
        return named({ status_id: await rig.action(node) });
      },
      letIn: admin,
    },
  ],
  node_set_metadata: [
    { given: async (rig) => named({ node: await rig.node(), label: 'rack' }, { value: 7 }), letIn: admin },
  ],
  node_delete_metadata: [
    {
      given: async (rig) => {
        const node = await rig.node();
        await rig.service.admin.put(`/node/${node}/metadata/rack`, { value: 7 });
        return named({ node, label: 'rack' });
      },
      letIn: admin,
    },
  ],
  node_set_obm: [
    { when: 'to enabled on a node of the project', given: onNode({ enabled: true }), letIn: project },
    { when: 'to disabled on a node of the project', given: onManagedNode({ enabled: false }), letIn: project },
    { when: 'on a free node', given: onFreeNode({ enabled: true }), letIn: admin },
  ],
  node_power_on: order(),
  node_power_off: order(),
  node_power_cycle: order({ force: true }),
  node_power_status: order(),
  node_set_bootdev: order({ bootdev: 'disk' }),
  show_console: order(),
  show_console_client: [
    { when: 'of a node of the project', given: onManagedNode(), letIn: project },
    { when: 'of a free node', given: onFreeNode(), letIn: admin },
  ],
};
