import { act } from '../act.ts';
import type { Argument, Command, Given } from '../command.ts';
import { done } from '../say.ts';
import { queued, waitOptions } from '../wait.ts';

const node: Argument = { name: 'node', kind: 'node' };
const nic: Argument = { name: 'nic', kind: 'nic' };
const network: Argument = { name: 'network', kind: 'network' };

/** What can be done with nodes, their nics, networks and metadata. */
export const nodeCommands: readonly Command[] = [
  {
    words: ['node', 'list'],
    about: 'list all nodes, or the free ones',
    args: [{ name: 'which', kind: 'text', oneOf: ['free', 'all'] }],
    example: 'node list free',
    run: async ({ corral, output }, given) => {
      const nodes = await (await corral()).listNodes({ is_free: given.arg('which') === 'free' ? 'free' : 'all' });
      output.table(
        ['node'],
        nodes.map((label) => [label]),
        nodes,
        'no nodes',
      );
    },
  },
  {
    words: ['node', 'show'],
    about: 'show a node: its project, nics, networks and metadata',
    args: [node],
    example: 'node show node-12',
    run: async ({ corral, output }, given) => {
      const shown = await (await corral()).showNode({ node: given.arg('node') });
      const metadata = Object.entries(shown.metadata).map(([label, value]) => `${label}: ${textOf(value)}`);
      output.facts(
        [
          ['name', shown.name],
          ['project', shown.project ?? 'none: it is free'],
          ...(metadata.length === 0 ? [] : [['metadata', metadata.join('\n')] as const]),
        ],
        shown,
      );
      if (output.isJson) return;
      output.say('');
      const rows = shown.nics.map(({ label, macaddr, networks, switch: on, port }) => [
        label,
        macaddr,
        Object.entries(networks)
          .map(([channel, name]) => `${name} (${channel})`)
          .join(', '),
        on && port ? `${on} ${port}` : '',
      ]);
      const hasPorts = rows.some(([, , , port]) => port !== '');
      output.table(
        ['nic', 'mac address', 'networks', ...(hasPorts ? ['port'] : [])],
        rows.map((row) => (hasPorts ? row : row.slice(0, 3))),
        null,
        'no nics',
      );
    },
  },
  {
    words: ['node', 'register'],
    about: 'register a node with its OBM daemon; prompts for the admin token, or reads it from a file',
    args: [
      { name: 'node', kind: 'text' },
      { name: 'obmd_uri', kind: 'text' },
    ],
    options: {
      'admin-token-file': { value: 'FILE', about: "file with the OBM daemon's admin token; - for standard input" },
    },
    example: 'node register n1 http://127.0.0.1:8080/node/n1 --admin-token-file token',
    run: async ({ corral, output, secret }, given) => {
      const admin_token = await secret("the OBM daemon's admin token", given.option('admin-token-file'));
      const args = { node: given.arg('node'), obmd: { uri: given.arg('obmd_uri'), admin_token } };
      await (await corral()).nodeRegister(args);
      done(output, `node ${args.node} is registered`);
    },
  },
  act({
    words: 'node delete',
    about: 'delete a free node without nics',
    args: [node],
    example: 'node delete n1',
    call: (corral, given) => corral.nodeDelete({ node: given.arg('node') }),
    sentence: (given) => `node ${given.arg('node')} is deleted`,
  }),
  act({
    words: 'node nic register',
    about: 'register a nic of a node',
    args: [node, { name: 'nic', kind: 'text' }, { name: 'macaddr', kind: 'text' }],
    example: 'node nic register n1 eth0 52:54:00:00:00:01',
    call: (corral, given) => corral.nodeRegisterNic({ ...nicOf(given), macaddr: given.arg('macaddr') }),
    sentence: (given) => `nic ${given.arg('nic')} of node ${given.arg('node')} is registered`,
  }),
  act({
    words: 'node nic delete',
    about: 'delete a nic that is not connected to a port',
    args: [node, nic],
    example: 'node nic delete n1 eth0',
    call: (corral, given) => corral.nodeDeleteNic(nicOf(given)),
    sentence: (given) => `nic ${given.arg('nic')} of node ${given.arg('node')} is deleted`,
  }),
  {
    words: ['node', 'network', 'connect'],
    about: 'connect a nic to a network',
    args: [node, nic, network, { name: 'channel', kind: 'text', isOptional: true }],
    options: waitOptions,
    example: 'node network connect node-12 eth0 sky vlan/native',
    run: async (scene, given) => {
      const channel = given.optional('channel');
      const args = { node: given.arg('node'), nic: given.arg('nic'), network: given.arg('network') };
      const corral = await scene.corral();
      const { status_id } = await corral.nodeConnectNetwork({ ...args, ...(channel === undefined ? {} : { channel }) });
      await queued(scene, given, corral, status_id, `nic ${args.nic} of ${args.node} is on network ${args.network}`);
    },
  },
  {
    words: ['node', 'network', 'detach'],
    about: 'detach a nic from a network',
    args: [node, nic, network],
    options: waitOptions,
    example: 'node network detach node-12 eth0 sky',
    run: async (scene, given) => {
      const args = { node: given.arg('node'), nic: given.arg('nic'), network: given.arg('network') };
      const corral = await scene.corral();
      const { status_id } = await corral.nodeDetachNetwork(args);
      await queued(
        scene,
        given,
        corral,
        status_id,
        `nic ${args.nic} of ${args.node} is detached from network ${args.network}`,
      );
    },
  },
  act({
    words: 'node metadata add',
    about: 'set a metadata label of a node; a JSON value is stored as such, anything else as text',
    args: [node, { name: 'label', kind: 'text' }, { name: 'value', kind: 'text' }],
    example: 'node metadata add n1 rack r1',
    call: (corral, given) => corral.nodeSetMetadata({ ...noteOf(given), value: valueOf(given.arg('value')) }),
    sentence: (given) => `metadata ${given.arg('label')} of node ${given.arg('node')} is set`,
  }),
  act({
    words: 'node metadata delete',
    about: 'delete a metadata label of a node',
    args: [node, { name: 'label', kind: 'text' }],
    example: 'node metadata delete n1 rack',
    call: (corral, given) => corral.nodeDeleteMetadata(noteOf(given)),
    sentence: (given) => `metadata ${given.arg('label')} of node ${given.arg('node')} is deleted`,
  }),
];

const nicOf = (given: Given) => ({ node: given.arg('node'), nic: given.arg('nic') });
const noteOf = (given: Given) => ({ node: given.arg('node'), label: given.arg('label') });

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};
