import { simpleCommand } from '../simple-command.ts';
import type { Argument, Command, ParsedArguments } from '../cli-command.ts';
import { UsageError } from '../usage-error.ts';
import { reportDone } from '../report-done.ts';
import { queued, waitOptions } from '../wait-for-change.ts';

const aSwitch: Argument = { name: 'switch', kind: 'switch' };
const port: Argument = { name: 'port', kind: 'port' };

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
      await (
        await corral()
      ).switchRegister({
        ...fields,
        ...password,
        switch: parsed.arg('switch'),
        type: parsed.arg('type'),
      });
      reportDone(output, `switch ${parsed.arg('switch')} is registered`);
    },
  },
  simpleCommand({
    words: 'switch delete',
    about: 'delete a switch without ports',
    args: [aSwitch],
    example: 'switch delete sw1',
    call: (corral, parsed) => corral.switchDelete({ switch: parsed.arg('switch') }),
    sentence: (parsed) => `switch ${parsed.arg('switch')} is deleted`,
  }),
  {
    words: ['switch', 'list'],
    about: 'list all switches',
    example: 'switch list',
    run: async ({ corral, output }) => {
      const switches = await (await corral()).listSwitches();
      output.table(
        ['switch'],
        switches.map((label) => [label]),
        switches,
        'no switches',
      );
    },
  },
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
    words: 'port register',
    about: 'register a port of a switch',
    args: [aSwitch, { name: 'port', kind: 'text' }],
    example: 'port register sw1 gi1/0/11',
    call: (corral, parsed) => corral.switchRegisterPort(portOf(parsed)),
    sentence: (parsed) => `port ${parsed.arg('port')} of switch ${parsed.arg('switch')} is registered`,
  }),
  simpleCommand({
    words: 'port delete',
    about: 'delete a port without a nic',
    args: [aSwitch, port],
    options: { force: { about: 'even if its state is unknown, because its device no longer exists' } },
    example: 'port delete sw1 gi1/0/11',
    call: (corral, parsed) =>
      corral.switchDeletePort({ ...portOf(parsed), ...(parsed.flag('force') ? { force: 'true' as const } : {}) }),
    sentence: (parsed) => `port ${parsed.arg('port')} of switch ${parsed.arg('switch')} is deleted`,
  }),
  {
    words: ['port', 'show'],
    about: 'show what is plugged into a port, and what it carries',
    args: [aSwitch, port],
    example: 'port show tor-1 gi1/0/3',
    run: async ({ corral, output }, parsed) => {
      const shown = await (await corral()).showPort(portOf(parsed));
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
  {
    words: ['port', 'revert'],
    about: 'detach all networks from a port',
    args: [aSwitch, port],
    options: waitOptions,
    example: 'port revert tor-1 gi1/0/3',
    run: async (context, parsed) => {
      const corral = await context.corral();
      const { status_id } = await corral.portRevert(portOf(parsed));
      await queued(
        context,
        parsed,
        corral,
        status_id,
        `port ${parsed.arg('port')} of ${parsed.arg('switch')} has no networks`,
      );
    },
  },
  simpleCommand({
    words: 'port nic add',
    about: 'record that a nic is plugged into a port',
    args: [aSwitch, port, { name: 'node', kind: 'node' }, { name: 'nic', kind: 'nic' }],
    example: 'port nic add sw1 gi1/0/11 n1 eth0',
    call: (corral, parsed) =>
      corral.portConnectNic({ ...portOf(parsed), node: parsed.arg('node'), nic: parsed.arg('nic') }),
    sentence: (parsed) => `nic ${parsed.arg('nic')} of node ${parsed.arg('node')} is on port ${parsed.arg('port')}`,
  }),
  simpleCommand({
    words: 'port nic remove',
    about: 'record that the nic of a free node is unplugged',
    args: [aSwitch, port],
    example: 'port nic remove sw1 gi1/0/11',
    call: (corral, parsed) => corral.portDetachNic(portOf(parsed)),
    sentence: (parsed) => `port ${parsed.arg('port')} of switch ${parsed.arg('switch')} has no nic`,
  }),
];

/** What the service tells of a type's fields: JSON Schema. */
interface Fields {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

const portOf = (parsed: ParsedArguments) => ({ switch: parsed.arg('switch'), port: parsed.arg('port') });

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
