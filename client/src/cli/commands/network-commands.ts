import { simpleCommand } from '../simple-command.ts';
import type { Command, ParsedArguments } from '../cli-command.ts';

const network = { name: 'network', kind: 'network' } as const;
const project = { name: 'project', kind: 'project' } as const;

/** What can be done with networks. */
export const networkCommands: readonly Command[] = [
  simpleCommand({
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
    call: (corral, parsed) => {
      const owner = parsed.arg('owner');
      return corral.networkCreate({
        network: parsed.arg('network'),
        owner,
        access: parsed.option('access') ?? (owner === 'admin' ? '' : owner),
        net_id: parsed.option('net-id') ?? '',
      });
    },
    sentence: (parsed) => `network ${parsed.arg('network')} is created`,
  }),
  simpleCommand({
    words: 'network delete',
    about: 'delete a network that nothing is connected to',
    args: [network],
    example: 'network delete sky',
    call: (corral, parsed) => corral.networkDelete({ network: parsed.arg('network') }),
    sentence: (parsed) => `network ${parsed.arg('network')} is deleted`,
  }),
  {
    words: ['network', 'show'],
    about: 'show a network: its owner, who has access, and what is on it',
    args: [network],
    example: 'network show campus',
    run: async ({ corral, output }, parsed) => {
      const shown = await (await corral()).showNetwork({ network: parsed.arg('network') });
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
    run: async ({ corral, output }, parsed) => {
      const of = parsed.option('project');
      const attachments = await (
        await corral()
      ).listNetworkAttachments({
        network: parsed.arg('network'),
        ...(of === undefined ? {} : { project: of }),
      });
      const rows = Object.entries(attachments).flatMap(([node, { project: owner, attachments: all }]) =>
        all.map(({ nic, channel }) => [node, nic, channel, owner ?? '']),
      );
      output.table(['node', 'nic', 'channel', 'project'], rows, attachments, 'nothing is on it');
    },
  },
  simpleCommand({
    words: 'network grant-access',
    about: "add a project to a network's access list",
    args: [network, project],
    example: 'network grant-access sky physics',
    call: (corral, parsed) => corral.networkGrantProjectAccess(accessOf(parsed)),
    sentence: (parsed) => `project ${parsed.arg('project')} may use network ${parsed.arg('network')}`,
  }),
  simpleCommand({
    words: 'network revoke-access',
    about: "remove a project from a network's access list",
    args: [network, project],
    example: 'network revoke-access sky physics',
    call: (corral, parsed) => corral.networkRevokeProjectAccess(accessOf(parsed)),
    sentence: (parsed) => `project ${parsed.arg('project')} may no longer use network ${parsed.arg('network')}`,
  }),
];

const accessOf = (parsed: ParsedArguments) => ({ network: parsed.arg('network'), project: parsed.arg('project') });
