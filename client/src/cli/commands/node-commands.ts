import { field, queuedCommand, simpleCommand } from '../simple-command.ts';
import type { Command } from '../cli-command.ts';
import { nodeList } from '../lists/node-list.ts';
import { nodeShow } from '../lists/node-show.ts';
import { reportDone } from '../report-done.ts';

/** What can be done with nodes, their nics, networks and metadata. */
export const nodeCommands: readonly Command[] = [
  nodeList,
  nodeShow,
  {
    words: ['node', 'register'],
    about:
      'register a node with its OBM daemon, whose admin token is prompted for or read from a file; without OBMD_URI, with the one inside the service',
    args: [
      { name: 'node', kind: 'text' },
      { name: 'obmd_uri', kind: 'text', isOptional: true },
    ],
    options: {
      'admin-token-file': { value: 'FILE', about: "file with the OBM daemon's admin token; - for standard input" },
    },
    example: 'node register n1 http://127.0.0.1:8080/node/n1 --admin-token-file token',
    run: async ({ corral, output, secret }, parsed) => {
      const [node, uri] = [parsed.arg('node'), parsed.optional('obmd_uri')];
      const token = (): Promise<string> => secret("the OBM daemon's admin token", parsed.option('admin-token-file'));
      const obmd = uri === undefined ? {} : { obmd: { uri, admin_token: await token() } };
      await (await corral()).nodeRegister({ node, ...obmd });
      reportDone(output, `node ${node} is registered`);
    },
  },
  simpleCommand({
    usage: 'node delete <node>',
    about: 'delete a free node without nics',
    example: 'node delete n1',
    call: (corral, args) => corral.nodeDelete(args),
    sentence: ({ node }) => `node ${node} is deleted`,
  }),
  simpleCommand({
    usage: 'node nic register <node> <nic:text> <macaddr:text>',
    about: 'register a nic of a node',
    example: 'node nic register n1 eth0 52:54:00:00:00:01',
    call: (corral, args) => corral.nodeRegisterNic(args),
    sentence: ({ node, nic }) => `nic ${nic} of node ${node} is registered`,
  }),
  simpleCommand({
    usage: 'node nic delete <node> <nic>',
    about: 'delete a nic that is not connected to a port',
    example: 'node nic delete n1 eth0',
    call: (corral, args) => corral.nodeDeleteNic(args),
    sentence: ({ node, nic }) => `nic ${nic} of node ${node} is deleted`,
  }),
  queuedCommand({
    usage: 'node network connect <node> <nic> <network> [channel:text]',
    about: 'connect a nic to a network',
    example: 'node network connect node-12 eth0 sky vlan/native',
    call: (corral, args, parsed) =>
      corral.nodeConnectNetwork({ ...args, ...field('channel', parsed.optional('channel')) }),
    sentence: ({ node, nic, network }) => `nic ${nic} of ${node} is on network ${network}`,
  }),
  queuedCommand({
    usage: 'node network detach <node> <nic> <network>',
    about: 'detach a nic from a network',
    example: 'node network detach node-12 eth0 sky',
    call: (corral, args) => corral.nodeDetachNetwork(args),
    sentence: ({ node, nic, network }) => `nic ${nic} of ${node} is detached from network ${network}`,
  }),
  simpleCommand({
    usage: 'node metadata add <node> <label:text> <value:text>',
    about: 'set a metadata label of a node; a JSON value is stored as such, anything else as text',
    example: 'node metadata add n1 rack r1',
    call: (corral, args) => corral.nodeSetMetadata({ ...args, value: valueOf(args.value) }),
    sentence: ({ node, label }) => `metadata ${label} of node ${node} is set`,
  }),
  simpleCommand({
    usage: 'node metadata delete <node> <label:text>',
    about: 'delete a metadata label of a node',
    example: 'node metadata delete n1 rack',
    call: (corral, args) => corral.nodeDeleteMetadata(args),
    sentence: ({ node, label }) => `metadata ${label} of node ${node} is deleted`,
  }),
];

const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};
