import { admin, type Call, type Cases, everyone, named, nothing, project, users } from './authorization-case.ts';
import type { Rig } from './authorization-rig.ts';

const network = async (rig: Rig, owner: string, access: string): Promise<Call> =>
  named({ network: await rig.network(owner, access) });
const newNetwork = (rig: Rig, owner: string, access: string, net_id = ''): Call =>
  named({ network: rig.fresh('network') }, { owner, access, net_id });
const granted = async (rig: Rig, owner: string, access: string, to: string): Promise<Call> => {
  const label = await rig.network(owner, access);
  await rig.service.admin.put(`/network/${label}/access/${to}`);
  return named({ network: label, project: to });
};

export const networkCases: Cases = {
  list_networks: [{ given: nothing, letIn: everyone }],
  networks_overview: [{ given: nothing, letIn: everyone }],
  show_network: [
    { when: 'that is public', given: (rig) => network(rig, 'admin', ''), letIn: everyone },
    { when: 'of the project', given: (rig) => network(rig, rig.red, rig.red), letIn: project },
    { when: 'of the operator, given to the project', given: (rig) => network(rig, 'admin', rig.red), letIn: project },
    {
      when: 'given to another project too',
      given: (rig) => granted(rig, rig.red, rig.red, rig.blue).then(({ params }) => ({ params: params ?? {} })),
      letIn: ['member', 'other', 'admin'],
    },
  ],
  network_create: [
    { when: 'for the project', given: (rig) => newNetwork(rig, rig.red, rig.red), letIn: project },
    { when: 'with an id of choice', given: (rig) => newNetwork(rig, rig.red, rig.red, String(vlan())), letIn: admin },
    { when: 'for the project, open to another', given: (rig) => newNetwork(rig, rig.red, rig.blue), letIn: admin },
    { when: 'for the project, public', given: (rig) => newNetwork(rig, rig.red, ''), letIn: admin },
    { when: 'for the operator', given: (rig) => newNetwork(rig, 'admin', rig.red), letIn: admin },
    { when: 'for everybody', given: (rig) => newNetwork(rig, 'admin', ''), letIn: admin },
  ],
  network_delete: [
    { when: 'of the project', given: (rig) => network(rig, rig.red, rig.red), letIn: project },
    { when: 'of the operator', given: (rig) => network(rig, 'admin', rig.red), letIn: admin },
    { when: 'that is public', given: (rig) => network(rig, 'admin', ''), letIn: admin },
  ],
  list_network_attachments: [
    { when: 'of the project', given: (rig) => network(rig, rig.red, rig.red), letIn: project },
    { when: 'of a public network', given: (rig) => network(rig, 'admin', ''), letIn: users },
    {
      when: 'of a public network, of the nodes of one project',
      given: async (rig) => ({ ...(await network(rig, 'admin', '')), query: `?project=${rig.red}` }),
      letIn: project,
    },
    {
      when: 'of a network open to another project, of the nodes of the owner',
      given: async (rig) => ({ ...(await granted(rig, rig.red, rig.red, rig.blue)), query: `?project=${rig.red}` }),
      letIn: project,
    },
  ],
  network_reach: [
    { when: 'of a network of the project', given: (rig) => network(rig, rig.red, rig.red), letIn: project },
    {
      when: 'of a network of the project, given to another too',
      given: (rig) => granted(rig, rig.red, rig.red, rig.blue).then(({ params }) => ({ params: params ?? {} })),
      letIn: project,
    },
    {
      when: 'of a network of the operator, given to the project',
      given: (rig) => network(rig, 'admin', rig.red),
      letIn: admin,
    },
    { when: 'of a public network', given: (rig) => network(rig, 'admin', ''), letIn: admin },
  ],
  network_grant_project_access: [
    {
      when: 'to a network of the project',
      given: async (rig) => named({ network: await rig.network(rig.red, rig.red), project: rig.blue }),
      letIn: project,
    },
    {
      when: 'to a network of the operator',
      given: async (rig) => named({ network: await rig.network('admin', rig.red), project: rig.blue }),
      letIn: admin,
    },
  ],
  network_revoke_project_access: [
    {
      when: 'of the other project to a network of the project',
      given: (rig) => granted(rig, rig.red, rig.red, rig.blue),
      letIn: ['member', 'other', 'admin'],
    },
    {
      when: 'of the project to a network of the operator',
      given: async (rig) => named({ network: await rig.network('admin', rig.red), project: rig.red }),
      letIn: project,
    },
  ],
};

let lastVlan = 2000;
const vlan = (): number => (lastVlan += 1);
