import { listCommand, queuedCommand, simpleCommand } from '../simple-command.ts';
import type { Argument, Command } from '../cli-command.ts';
import { UsageError } from '../usage-error.ts';
import { reportDone } from '../report-done.ts';

const aSwitch: Argument = { name: 'switch', kind: 'switch' };

/** What can be done with switches and their ports. */
export const switchCommands: readonly Command[] = [
  {
    words: ['switch', 'register'],
    about: "register a switch; fields are its driver's, such as hostname=sw1 username=admin; prompts for the password",
    args: [
      { name: 'switch', kind: 'text' },
      { name: 'type', kind: 'text' },
      { name: 'field', kind: 'text', isOptional: true, isRest: true },
    ],
    options: {
      'password-file': { value: 'FILE', about: "file with the switch's password; - for standard input" },
      'no-password': { about: 'this type of switch has none' },
    },
    example: 'switch register sw1 cisco-nxos hostname=192.0.2.1 username=corral --password-file pw',
    run: async ({ corral, output, secret }, parsed) => {
      const fields = fieldsOf(parsed.rest('field'));
      const password = parsed.flag('no-password')
        ? {}
        : { password: await secret(`the password of switch ${parsed.arg('switch')}`, parsed.option('password-file')) };
      const client = await corral();
      await client.switchRegister({ ...fields, ...password, switch: parsed.arg('switch'), type: parsed.arg('type') });
      reportDone(output, `switch ${parsed.arg('switch')} is registered`);
    },
  },
  simpleCommand({
    usage: 'switch delete <switch>',
    about: 'delete a switch without ports',
    example: 'switch delete sw1',
    call: (corral, args) => corral.switchDelete(args),
    sentence: (args) => `switch ${args.switch} is deleted`,
  }),
  listCommand({
    usage: 'switch list',
    about: 'list all switches',
    example: 'switch list',
    of: 'switch',
    call: (corral) => corral.listSwitches(),
  }),
  {
    words: ['switch', 'types'],
    about: 'list the types of switches that can be registered, and their fields',
    example: 'switch types',
    run: async ({ corral, output }) => {
      const types = await (await corral()).listSwitchTypes();
      const rows = Object.entries(types).map(([type, { fields }]) => {
        const { required = [], properties = {} } = fields as Fields;
        const rest = Object.keys(properties).filter((name) => !required.includes(name));
        return [type, required.join(' '), rest.join(' ')];
      });
      output.table(['type', 'needs', 'may have'], rows, types, 'no types');
    },
  },
  {
    words: ['switch', 'show'],
    about: 'show a switch: its type, fields and ports',
    args: [aSwitch],
    example: 'switch show tor-1',
    run: async ({ corral, output }, parsed) => {
      const shown = await (await corral()).showSwitch({ switch: parsed.arg('switch') });
      output.facts(
        [
          ['name', shown.name],
          ['type', shown.type],
          ['capabilities', shown.capabilities.join(', ') || 'none'],
          ...Object.entries(shown.fields).map(([name, value]) => [name, String(value)] as const),
          ...shown.secrets.map((name) => [name, 'a secret'] as const),
          ['ports', shown.ports.join('\n') || 'none'],
        ],
        shown,
      );
    },
  },
  simpleCommand({
    usage: 'port register <switch> <port:text>',
    about: 'register a port of a switch',
    example: 'port register sw1 gi1/0/11',
    call: (corral, args) => corral.switchRegisterPort(args),
    sentence: (args) => `port ${args.port} of switch ${args.switch} is registered`,
  }),
  simpleCommand({
    usage: 'port delete <switch> <port>',
    about: 'delete a port without a nic',
    options: { force: { about: 'even if its state is unknown, because its device no longer exists' } },
    example: 'port delete sw1 gi1/0/11',
    call: (corral, args, parsed) =>
      corral.switchDeletePort({ ...args, ...(parsed.flag('force') ? { force: 'true' as const } : {}) }),
    sentence: (args) => `port ${args.port} of switch ${args.switch} is deleted`,
  }),
  {
    words: ['port', 'show'],
    about: 'show what is plugged into a port, and what it carries',
    args: [aSwitch, { name: 'port', kind: 'port' }],
    example: 'port show tor-1 gi1/0/3',
    run: async ({ corral, output }, parsed) => {
      const shown = await (await corral()).showPort({ switch: parsed.arg('switch'), port: parsed.arg('port') });
      const networks = Object.entries(shown.networks ?? {}).map(([channel, name]) => `${name} (${channel})`);
      output.facts(
        [
          ['nic', shown.node === undefined ? 'none' : `${shown.node} ${shown.nic ?? ''}`],
          ['networks', networks.join('\n') || 'none'],
          ...(shown.suspect === undefined ? [] : [['suspect', shown.suspect] as const]),
          ...(shown.drift === undefined ? [] : [['drift', 'it differs from what is recorded'] as const]),
          ...(shown.absent ? [['absent', 'the switch has no such port'] as const] : []),
          ...(shown.unread ? [['unread', 'it has not been read yet'] as const] : []),
          ...(shown.in_doubt_until === undefined
            ? []
            : [['in doubt', `an aborted change may still arrive, until ${shown.in_doubt_until}`] as const]),
        ],
        shown,
      );
    },
  },
  queuedCommand({
    usage: 'port revert <switch> <port>',
    about: 'detach all networks from a port',
    example: 'port revert tor-1 gi1/0/3',
    call: (corral, args) => corral.portRevert(args),
    sentence: (args) => `port ${args.port} of ${args.switch} has no networks`,
  }),
  simpleCommand({
    usage: 'port nic add <switch> <port> <node> <nic>',
    about: 'record that a nic is plugged into a port',
    example: 'port nic add sw1 gi1/0/11 n1 eth0',
    call: (corral, args) => corral.portConnectNic(args),
    sentence: ({ node, nic, port }) => `nic ${nic} of node ${node} is on port ${port}`,
  }),
  simpleCommand({
    usage: 'port nic remove <switch> <port>',
    about: 'record that the nic of a free node is unplugged',
    example: 'port nic remove sw1 gi1/0/11',
    call: (corral, args) => corral.portDetachNic(args),
    sentence: (args) => `port ${args.port} of switch ${args.switch} has no nic`,
  }),
];

/** What the service tells of a type's fields: JSON Schema. */
interface Fields {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

const fieldsOf = (words: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw new UsageError(`${JSON.stringify(word)} is not a field; write NAME=VALUE`);
      if (word.startsWith('password=')) {
        throw new UsageError(
          'a password on the command line is visible to other users; enter it at the prompt, or use --password-file',
        );
      }
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
