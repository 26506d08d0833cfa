import { field, simpleCommand } from '../simple-command.ts';
import type { Command } from '../cli-command.ts';
import { forced, forceOption } from '../force-option.ts';
import { networkList } from '../lists/network-list.ts';

const network = { name: 'network', kind: 'network' } as const;

/** What can be done with networks. */
export const networkCommands: readonly Command[] = [
  simpleCommand({
    usage: 'network create <network:text> <owner:project>',
    about: 'create a network',
    options: {
      access: { value: 'PROJECT', about: 'project with access; default: its owner; empty: public', kind: 'project' },
      'net-id': { value: 'ID', about: 'its VLAN id (administrators only); default: one of the pool' },
      ...forceOption,
    },
    example: 'network create sky astronomy',
    call: (corral, args, parsed) =>
      corral.networkCreate({
        ...args,
        access: parsed.option('access') ?? (args.owner === 'admin' ? '' : args.owner),
        net_id: parsed.option('net-id') ?? '',
        ...forced(parsed),
      }),
    sentence: (args) => `network ${args.network} is created`,
  }),
  simpleCommand({
    usage: 'network delete <network>',
    about: 'delete a network that nothing is connected to',
    example: 'network delete sky',
    call: (corral, args) => corral.networkDelete(args),
    sentence: (args) => `network ${args.network} is deleted`,
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
  networkList,
  {
    words: ['network', 'list-attachments'],
    about: 'list the nodes on a network',
    args: [network],
    options: { project: { value: 'PROJECT', about: 'only nodes of this project', kind: 'project' } },
    example: 'network list-attachments sky --project astronomy',
    run: async ({ corral, output }, parsed) => {
      const client = await corral();
      const which = { network: parsed.arg('network'), ...field('project', parsed.option('project')) };
      const attachments = await client.listNetworkAttachments(which);
      const rows = Object.entries(attachments).flatMap(([node, { project: owner, attachments: all }]) =>
        all.map(({ nic, channel }) => [node, nic, channel, owner ?? '']),
      );
      output.table(['node', 'nic', 'channel', 'project'], rows, attachments, 'nothing is on it');
    },
  },
  simpleCommand({
    usage: 'network grant-access <network> <project>',
    about: "add a project to a network's access list",
    example: 'network grant-access sky physics',
    call: (corral, args) => corral.networkGrantProjectAccess(args),
    sentence: (args) => `project ${args.project} may use network ${args.network}`,
  }),
  simpleCommand({
    usage: 'network revoke-access <network> <project>',
    about: "remove a project from a network's access list",
    example: 'network revoke-access sky physics',
    call: (corral, args) => corral.networkRevokeProjectAccess(args),
    sentence: (args) => `project ${args.project} may no longer use network ${args.network}`,
  }),
];
