import { listCommand, simpleCommand } from '../simple-command.ts';
import type { Command } from '../cli-command.ts';
import { forced, forceOption } from '../force-option.ts';
import { headnodeList } from '../lists/headnode-list.ts';

const verbs = [
  ['delete', 'delete a headnode and its disk', 'headnodeDelete', 'is deleted'],
  ['start', 'start a headnode; from then on it cannot be changed', 'headnodeStart', 'runs'],
  ['stop', 'force a headnode off', 'headnodeStop', 'is off'],
] as const;

/** What can be done with headnodes. */
export const headnodeCommands: readonly Command[] = [
  simpleCommand({
    usage: 'headnode create <headnode:text> <project> <image>',
    about: 'create a headnode from an image',
    options: forceOption,
    example: 'headnode create sky-head astronomy base',
    call: (corral, { headnode, project, image }, parsed) =>
      corral.headnodeCreate({ headnode, project, base_img: image, ...forced(parsed) }),
    sentence: ({ headnode }) => `headnode ${headnode} is created`,
  }),
  ...verbs.map(([verb, about, call, after]) =>
    simpleCommand({
      usage: `headnode ${verb} <headnode>`,
      about,
      example: `headnode ${verb} sky-head`,
      call: (corral, args) => corral[call](args),
      sentence: ({ headnode }) => `headnode ${headnode} ${after}`,
    }),
  ),
  {
    words: ['headnode', 'show'],
    about: 'show a headnode',
    args: [{ name: 'headnode', kind: 'headnode' }],
    example: 'headnode show sky-head',
    run: async ({ corral, output }, parsed) => {
      const shown = await (await corral()).showHeadnode({ headnode: parsed.arg('headnode') });
      output.facts(
        [
          ['name', shown.name],
          ['project', shown.project],
          ['image', shown.base_img],
          ['hnics', shown.hnics.join(', ') || 'none'],
          ['vnc port', shown.vncport === null ? 'none: it is not running' : String(shown.vncport)],
          ['uuid', shown.uuid],
        ],
        shown,
      );
    },
  },
  headnodeList,
  listCommand({
    usage: 'headnode list-images',
    about: 'list the images for headnodes',
    example: 'headnode list-images',
    of: 'image',
    call: (corral) => corral.listHeadnodeImages(),
  }),
  simpleCommand({
    usage: 'headnode nic create <headnode> <hnic:text>',
    about: 'add an hnic to a headnode',
    example: 'headnode nic create sky-head eth0',
    call: (corral, args) => corral.headnodeCreateHnic(args),
    sentence: ({ headnode, hnic }) => `hnic ${hnic} of headnode ${headnode} is created`,
  }),
  simpleCommand({
    usage: 'headnode nic delete <headnode> <hnic>',
    about: 'remove an hnic from a headnode',
    example: 'headnode nic delete sky-head eth0',
    call: (corral, args) => corral.headnodeDeleteHnic(args),
    sentence: ({ headnode, hnic }) => `hnic ${hnic} of headnode ${headnode} is deleted`,
  }),
  simpleCommand({
    usage: 'headnode network connect <headnode> <hnic> <network>',
    about: 'connect an hnic to a network',
    example: 'headnode network connect sky-head eth0 sky',
    call: (corral, args) => corral.headnodeConnectNetwork(args),
    sentence: ({ headnode, hnic, network }) => `hnic ${hnic} of ${headnode} is on network ${network}`,
  }),
  simpleCommand({
    usage: 'headnode network detach <headnode> <hnic>',
    about: 'detach an hnic from its network',
    example: 'headnode network detach sky-head eth0',
    call: (corral, args) => corral.headnodeDetachNetwork(args),
    sentence: ({ headnode, hnic }) => `hnic ${hnic} of ${headnode} is on no network`,
  }),
  simpleCommand({
    usage: 'headnode leftover delete <uuid:text>',
    about: 'remove a machine from the hypervisor that no headnode is recorded for; see corral drift',
    example: 'headnode leftover delete 3f1c5d1e-6f0b-4a3e-9d5c-0a4f2b7c8d90',
    call: (corral, args) => corral.headnodeDeleteLeftover(args),
    sentence: ({ uuid }) => `machine ${uuid} is removed from the hypervisor`,
  }),
];
