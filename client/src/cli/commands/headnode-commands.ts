import { simpleCommand } from '../simple-command.ts';
import type { Argument, Command, ParsedArguments } from '../cli-command.ts';

const headnode: Argument = { name: 'headnode', kind: 'headnode' };
const hnic: Argument = { name: 'hnic', kind: 'hnic' };

const verbs = [
  ['delete', 'delete a headnode and its disk', 'headnodeDelete', 'is deleted'],
  ['start', 'start a headnode; from then on it cannot be changed', 'headnodeStart', 'runs'],
  ['stop', 'force a headnode off', 'headnodeStop', 'is off'],
] as const;

/** What can be done with headnodes. */
export const headnodeCommands: readonly Command[] = [
  simpleCommand({
    words: 'headnode create',
    about: 'create a headnode from an image',
    args: [
      { name: 'headnode', kind: 'text' },
      { name: 'project', kind: 'project' },
      { name: 'image', kind: 'image' },
    ],
    example: 'headnode create sky-head astronomy base',
    call: (corral, parsed) =>
      corral.headnodeCreate({
        headnode: parsed.arg('headnode'),
        project: parsed.arg('project'),
        base_img: parsed.arg('image'),
      }),
    sentence: (parsed) => `headnode ${parsed.arg('headnode')} is created`,
  }),
  ...verbs.map(([verb, about, call, after]) =>
    simpleCommand({
      words: `headnode ${verb}`,
      about,
      args: [headnode],
      example: `headnode ${verb} sky-head`,
      call: (corral, parsed) => corral[call]({ headnode: parsed.arg('headnode') }),
      sentence: (parsed) => `headnode ${parsed.arg('headnode')} ${after}`,
    }),
  ),
  {
    words: ['headnode', 'show'],
    about: 'show a headnode',
    args: [headnode],
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
  {
    words: ['headnode', 'list'],
    about: 'list the headnodes of a project',
    args: [{ name: 'project', kind: 'project' }],
    example: 'headnode list astronomy',
    run: async ({ corral, output }, parsed) => {
      const headnodes = await (await corral()).listProjectHeadnodes({ project: parsed.arg('project') });
      output.table(
        ['headnode'],
        headnodes.map((label) => [label]),
        headnodes,
        'no headnodes',
      );
    },
  },
  {
    words: ['headnode', 'list-images'],
    about: 'list the images for headnodes',
    example: 'headnode list-images',
    run: async ({ corral, output }) => {
      const images = await (await corral()).listHeadnodeImages();
      output.table(
        ['image'],
        images.map((label) => [label]),
        images,
        'no images',
      );
    },
  },
  simpleCommand({
    words: 'headnode nic create',
    about: 'add an hnic to a headnode',
    args: [headnode, { name: 'hnic', kind: 'text' }],
    example: 'headnode nic create sky-head eth0',
    call: (corral, parsed) => corral.headnodeCreateHnic(hnicOf(parsed)),
    sentence: (parsed) => `hnic ${parsed.arg('hnic')} of headnode ${parsed.arg('headnode')} is created`,
  }),
  simpleCommand({
    words: 'headnode nic delete',
    about: 'remove an hnic from a headnode',
    args: [headnode, hnic],
    example: 'headnode nic delete sky-head eth0',
    call: (corral, parsed) => corral.headnodeDeleteHnic(hnicOf(parsed)),
    sentence: (parsed) => `hnic ${parsed.arg('hnic')} of headnode ${parsed.arg('headnode')} is deleted`,
  }),
  simpleCommand({
    words: 'headnode network connect',
    about: 'connect an hnic to a network',
    args: [headnode, hnic, { name: 'network', kind: 'network' }],
    example: 'headnode network connect sky-head eth0 sky',
    call: (corral, parsed) => corral.headnodeConnectNetwork({ ...hnicOf(parsed), network: parsed.arg('network') }),
    sentence: (parsed) =>
      `hnic ${parsed.arg('hnic')} of ${parsed.arg('headnode')} is on network ${parsed.arg('network')}`,
  }),
  simpleCommand({
    words: 'headnode network detach',
    about: 'detach an hnic from its network',
    args: [headnode, hnic],
    example: 'headnode network detach sky-head eth0',
    call: (corral, parsed) => corral.headnodeDetachNetwork(hnicOf(parsed)),
    sentence: (parsed) => `hnic ${parsed.arg('hnic')} of ${parsed.arg('headnode')} is on no network`,
  }),
];

const hnicOf = (parsed: ParsedArguments) => ({ headnode: parsed.arg('headnode'), hnic: parsed.arg('hnic') });
