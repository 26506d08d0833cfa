import { act } from '../act.ts';
import type { Command, Given } from '../command.ts';

const network = { name: 'network', kind: 'network' } as const;
const project = { name: 'project', kind: 'project' } as const;

/** What can be done with networks. */
export const networkCommands: readonly Command[] = [
  act({
    words: 'network create',
    about: 'create a network',
    args: [
      { name: 'network', kind: 'text' },
      { name: 'owner', kind: 'project' },
    ],
    options: {
      access: { value: 'PROJECT', about: 'project with access; default: its owner; empty: public', kind: 'project' },
      'net-id': { value: 'ID', about: 'its VLAN id (administrators only); default: one of the pool' },
    },
    example: 'network create sky astronomy',
    call: (corral, given) => {
      const owner = given.arg('owner');
      return corral.networkCreate({
        network: given.arg('network'),
        owner,
        access: given.option('access') ?? (owner === 'admin' ? '' : owner),
        net_id: given.option('net-id') ?? '',
      });
    },
    sentence: (given) => `network ${given.arg('network')} is created`,
  }),
  act({
    words: 'network delete',
    about: 'delete a network that nothing is connected to',
    args: [network],
    example: 'network delete sky',
    call: (corral, given) => corral.networkDelete({ network: given.arg('network') }),
    sentence: (given) => `network ${given.arg('network')} is deleted`,
  }),
  {
    words: ['network', 'show'],
    about: 'show a network: its owner, who has access, and what is on it',
    args: [network],
    example: 'network show campus',
    run: async ({ corral, output }, given) => {
      const shown = await (await corral()).showNetwork({ network: given.arg('network') });
      const nodes = Object.entries(shown['connected-nodes']).map(([node, nics]) => `${node} (${nics.join(', ')})`);
      output.facts(
        [
          ['name', shown.name],
          ['owner', shown.owner],
          ['access', shown.access === null ? 'everybody' : shown.access.join(', ') || 'nobody'],
          ['channels', shown.channels.join(', ')],
          ['nodes', nodes.join('\n') || 'none'],
        ],
        shown,
      );
    },
  },
  {
    words: ['network', 'list'],
    about: 'list networks: all for administrators, the public ones for everybody else',
    example: 'network list',
    run: async ({ corral, output }) => {
      const networks = await (await corral()).listNetworks();
      const rows = Object.entries(networks).map(([label, { network_id, projects }]) => [
        label,
        network_id,
        projects === null ? 'everybody' : projects.join(', ') || 'nobody',
      ]);
      output.table(['network', 'id', 'access'], rows, networks, 'no networks');
    },
  },
  {
    words: ['network', 'list-attachments'],
    about: 'list the nodes on a network',
    args: [network],
    options: { project: { value: 'PROJECT', about: 'only nodes of this project', kind: 'project' } },
    example: 'network list-attachments sky --project astronomy',
    run: async ({ corral, output }, given) => {
      const of = given.option('project');
      const attachments = await (
        await corral()
      ).listNetworkAttachments({
        network: given.arg('network'),
        ...(of === undefined ? {} : { project: of }),
      });
      const rows = Object.entries(attachments).flatMap(([node, { project: owner, attachments: all }]) =>
        all.map(({ nic, channel }) => [node, nic, channel, owner ?? '']),
      );
      output.table(['node', 'nic', 'channel', 'project'], rows, attachments, 'nothing is on it');
    },
  },
  act({
    words: 'network grant-access',
    about: "add a project to a network's access list",
    args: [network, project],
    example: 'network grant-access sky physics',
    call: (corral, given) => corral.networkGrantProjectAccess(accessOf(given)),
    sentence: (given) => `project ${given.arg('project')} may use network ${given.arg('network')}`,
  }),
  act({
    words: 'network revoke-access',
    about: "remove a project from a network's access list",
    args: [network, project],
    example: 'network revoke-access sky physics',
    call: (corral, given) => corral.networkRevokeProjectAccess(accessOf(given)),
    sentence: (given) => `project ${given.arg('project')} may no longer use network ${given.arg('network')}`,
  }),
];

const accessOf = (given: Given) => ({ network: given.arg('network'), project: given.arg('project') });
