import { simpleCommand } from '../simple-command.ts';
import type { Argument, Command, ParsedArguments } from '../cli-command.ts';
import { reportDone } from '../report-done.ts';
import { queued, waitOptions } from '../wait-for-change.ts';

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
    run: async ({ corral, output }, parsed) => {
      const nodes = await (await corral()).listNodes({ is_free: parsed.arg('which') === 'free' ? 'free' : 'all' });
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
    run: async ({ corral, output }, parsed) => {
      const shown = await (await corral()).showNode({ node: parsed.arg('node') });
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
    run: async ({ corral, output, secret }, parsed) => {
      const admin_token = await secret("the OBM daemon's admin token", parsed.option('admin-token-file'));
      const args = { node: parsed.arg('node'), obmd: { uri: parsed.arg('obmd_uri'), admin_token } };
      await (await corral()).nodeRegister(args);
      reportDone(output, `node ${args.node} is registered`);
    },
  },
  simpleCommand({
    words: 'node delete',
    about: 'delete a free node without nics',
    args: [node],
    example: 'node delete n1',
    call: (corral, parsed) => corral.nodeDelete({ node: parsed.arg('node') }),
    sentence: (parsed) => `node ${parsed.arg('node')} is deleted`,
  }),
  simpleCommand({
    words: 'node nic register',
    about: 'register a nic of a node',
    args: [node, { name: 'nic', kind: 'text' }, { name: 'macaddr', kind: 'text' }],
    example: 'node nic register n1 eth0 52:54:00:00:00:01',
    call: (corral, parsed) => corral.nodeRegisterNic({ ...nicOf(parsed), macaddr: parsed.arg('macaddr') }),
    sentence: (parsed) => `nic ${parsed.arg('nic')} of node ${parsed.arg('node')} is registered`,
  }),
  simpleCommand({
    words: 'node nic delete',
    about: 'delete a nic that is not connected to a port',
    args: [node, nic],
    example: 'node nic delete n1 eth0',
    call: (corral, parsed) => corral.nodeDeleteNic(nicOf(parsed)),
    sentence: (parsed) => `nic ${parsed.arg('nic')} of node ${parsed.arg('node')} is deleted`,
  }),
  {
    words: ['node', 'network', 'connect'],
    about: 'connect a nic to a network',
    args: [node, nic, network, { name: 'channel', kind: 'text', isOptional: true }],
    options: waitOptions,
    example: 'node network connect node-12 eth0 sky vlan/native',
    run: async (context, parsed) => {
      const channel = parsed.optional('channel');
      const args = { node: parsed.arg('node'), nic: parsed.arg('nic'), network: parsed.arg('network') };
      const corral = await context.corral();
      const { status_id } = await corral.nodeConnectNetwork({ ...args, ...(channel === undefined ? {} : { channel }) });
      await queued(context, parsed, corral, status_id, `nic ${args.nic} of ${args.node} is on network ${args.network}`);
    },
  },
  {
    words: ['node', 'network', 'detach'],
    about: 'detach a nic from a network',
    args: [node, nic, network],
    options: waitOptions,
    example: 'node network detach node-12 eth0 sky',
    run: async (context, parsed) => {
      const args = { node: parsed.arg('node'), nic: parsed.arg('nic'), network: parsed.arg('network') };
      const corral = await context.corral();
      const { status_id } = await corral.nodeDetachNetwork(args);
      await queued(
        context,
        parsed,
        corral,
        status_id,
        `nic ${args.nic} of ${args.node} is detached from network ${args.network}`,
      );
    },
  },
  simpleCommand({
    words: 'node metadata add',
    about: 'set a metadata label of a node; a JSON value is stored as such, anything else as text',
    args: [node, { name: 'label', kind: 'text' }, { name: 'value', kind: 'text' }],
    example: 'node metadata add n1 rack r1',
    call: (corral, parsed) => corral.nodeSetMetadata({ ...noteOf(parsed), value: valueOf(parsed.arg('value')) }),
    sentence: (parsed) => `metadata ${parsed.arg('label')} of node ${parsed.arg('node')} is set`,
  }),
  simpleCommand({
    words: 'node metadata delete',
    about: 'delete a metadata label of a node',
    args: [node, { name: 'label', kind: 'text' }],
    example: 'node metadata delete n1 rack',
    call: (corral, parsed) => corral.nodeDeleteMetadata(noteOf(parsed)),
    sentence: (parsed) => `metadata ${parsed.arg('label')} of node ${parsed.arg('node')} is deleted`,
  }),
];

const nicOf = (parsed: ParsedArguments) => ({ node: parsed.arg('node'), nic: parsed.arg('nic') });
const noteOf = (parsed: ParsedArguments) => ({ node: parsed.arg('node'), label: parsed.arg('label') });

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};
