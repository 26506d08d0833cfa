import { queuedCommand, simpleCommand } from '../simple-command.ts';
import type { Calls } from '../../index.ts';
import type { Argument, Command, CommandContext, Option, ParsedArguments } from '../cli-command.ts';
import { changesIn, collectChanges, collectFields, fieldsIn } from '../collect-device-fields.ts';
import { readSwitchTypes, typeHeadings, typeRows } from '../device-fields.ts';
import { switchList } from '../lists/switch-list.ts';
import { switchShow } from '../lists/switch-show.ts';
import { reportDone } from '../report-done.ts';
import { requireUsable, showSwitchTest } from '../show-switch-test.ts';
import { UsageError } from '../usage-error.ts';

const aSwitch: Argument = { name: 'switch', kind: 'switch' };
const passwordFile: Option = { value: 'FILE', about: "file with the switch's password; - for standard input" };

/** What can be done with switches and their ports. */
export const switchCommands: readonly Command[] = [
  {
    words: ['switch', 'register'],
    about: 'register a switch, and try it; prompts for what its type needs and is not given',
    args: [
      { name: 'switch', kind: 'text' },
      { name: 'type', kind: 'text' },
      { name: 'field', kind: 'text', isOptional: true, isRest: true },
    ],
    options: {
      'password-file': passwordFile,
      'no-check': { about: 'do not try to open a session after the registration' },
    },
    example: 'switch register sw1 cisco-ios hostname=192.0.2.1 username=corral dummy_vlan=998 --password-file pw',
    run: async (context, parsed) => {
      const { corral, output } = context;
      const label = parsed.arg('switch');
      const type = parsed.arg('type');
      const given = fieldsIn(parsed.rest('field'), parsed.option('password-file'));
      const client = await corral();
      const fields = await collectFields(context, await readSwitchTypes(client, context.signal), {
        what: `switch ${label}`,
        type,
        fields: given,
      });
      await client.switchRegister({ ...fields, switch: label, type });
      const sentence = `switch ${label} is registered`;
      const isChecked = !parsed.flag('no-check');
      if (!isChecked || !output.isJson) reportDone(output, sentence);
      if (!isChecked) return;
      await tryNow(
        context,
        label,
        `It is registered. Mend the switch and try it again: corral switch test ${label}; or correct its fields: corral switch update ${label} NAME=VALUE`,
      );
    },
  },
  {
    words: ['switch', 'update'],
    about: 'change fields of a switch, and try it; NAME alone prompts for its value, NAME= removes it',
    args: [aSwitch, { name: 'field', kind: 'text', isOptional: true, isRest: true }],
    options: {
      'password-file': passwordFile,
      'no-check': { about: 'do not try to open a session after the change' },
    },
    example: 'switch update tor-1 hostname=192.0.2.7 --password-file pw',
    run: async (context, parsed) => {
      const { corral, output } = context;
      const label = parsed.arg('switch');
      const changes = changesIn(parsed.rest('field'), parsed.option('password-file'));
      if (changes.length === 0)
        throw new UsageError('say what changes: NAME=VALUE, NAME=@FILE for a secret, or NAME to be asked for it');
      const client = await corral();
      const { type } = await client.showSwitch({ switch: label });
      const fields = await collectChanges(context, await readSwitchTypes(client, context.signal), {
        what: `switch ${label}`,
        type,
        changes,
      });
      await client.switchUpdate({ ...fields, switch: label });
      const isChecked = !parsed.flag('no-check');
      if (!isChecked || !output.isJson) reportDone(output, `switch ${label} is updated`);
      if (isChecked)
        await tryNow(
          context,
          label,
          `It is updated, and tried again from time to time. Correct its fields: corral switch update ${label} NAME=VALUE; or mend the switch and try it: corral switch test ${label}`,
        );
    },
  },
  {
    words: ['switch', 'test'],
    about: 'open a session with a switch and show what it finds; changes nothing',
    args: [aSwitch, { name: 'word', kind: 'text', isOptional: true, isRest: true }],
    options: {
      type: { value: 'TYPE', about: 'try a switch that is not registered: words are its fields, such as hostname=sw1' },
      'password-file': passwordFile,
      'dry-run': { about: 'show what would be sent to connect a network: words are NODE NIC NETWORK' },
      channel: { value: 'CHANNEL', about: 'the channel of that network; vlan/native by default' },
      port: { value: 'PORT', about: 'show what would be sent to put this port into a state' },
      native: { value: 'VLAN', about: 'the untagged VLAN of that port' },
      tagged: { value: 'VLANS', about: 'the tagged VLANs of that port, such as 101,102' },
    },
    example: 'switch test tor-1 --port gi1/0/3 --native 100',
    run: async (context, parsed) => {
      const { corral, output } = context;
      const label = parsed.arg('switch');
      const { fields: words, dryRun } = testWords(parsed);
      const type = parsed.option('type');
      const given = fieldsIn(words, parsed.option('password-file'));
      if (type === undefined && given.length > 0)
        throw new UsageError('fields are for a switch that is not registered: say its type with --type TYPE');
      const client = await corral();
      const as =
        type === undefined
          ? {}
          : {
              as: {
                ...(await collectFields(context, await readSwitchTypes(client, context.signal), {
                  what: `switch ${label}`,
                  type,
                  fields: given,
                })),
                type,
              },
            };
      const progress = output.progress(`opening a session with switch ${label}`);
      const view = await client
        .switchTest({ switch: label, ...as, ...(dryRun && { dry_run: dryRun }) })
        .finally(() => progress.stop());
      if (output.isJson) output.json(view);
      else showSwitchTest(output, view, 'listed');
      requireUsable(view, 'docs/drivers of Corral says what each type of switch needs');
    },
  },
  simpleCommand({
    usage: 'switch delete <switch>',
    about: 'delete a switch without ports',
    example: 'switch delete sw1',
    call: (corral, args) => corral.switchDelete(args),
    sentence: (args) => `switch ${args.switch} is deleted`,
  }),
  switchList,
  {
    words: ['switch', 'types'],
    about: 'list the types of switches that can be registered, and their fields',
    example: 'switch types',
    run: async ({ corral, output }) => {
      const types = await (await corral()).listSwitchTypes();
      output.table(typeHeadings, typeRows(types), types, 'no types');
    },
  },
  switchShow,
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

/** Opens a session with a registered switch and shows what it finds; `hint`: what to do if it cannot be used. */
const tryNow = async ({ corral, output }: CommandContext, label: string, hint: string): Promise<void> => {
  const client = await corral();
  const progress = output.progress(`opening a session with switch ${label}`);
  const view = await client.switchTest({ switch: label }).finally(() => progress.stop());
  showSwitchTest(output, view, 'counted');
  requireUsable(view, hint);
};

type DryRun = NonNullable<Calls['switchTest']['args']['dry_run']>;

/** The fields and the port that `switch test` is about. */
const testWords = (parsed: ParsedArguments): { readonly fields: readonly string[]; readonly dryRun: DryRun | null } => {
  const words = parsed.rest('word');
  const port = parsed.option('port');
  if (port !== undefined) {
    if (parsed.flag('dry-run')) throw new UsageError('--dry-run NODE NIC NETWORK or --port PORT, not both');
    const native = parsed.option('native');
    const tagged = (parsed.option('tagged') ?? '').split(',').filter((text) => text !== '');
    return {
      fields: words,
      dryRun: { port, native: native === undefined ? null : vlanIn(native), tagged: tagged.map(vlanIn) },
    };
  }
  for (const name of ['native', 'tagged'])
    if (parsed.option(name) !== undefined) throw new UsageError(`--${name} is of a port: say which with --port PORT`);
  if (!parsed.flag('dry-run')) return { fields: words, dryRun: null };
  const names = words.filter((word) => !word.includes('='));
  const [node, nic, network, more] = names;
  if (node === undefined || nic === undefined || network === undefined || more !== undefined)
    throw new UsageError('--dry-run takes three words: --dry-run NODE NIC NETWORK');
  const channel = parsed.option('channel');
  return {
    fields: words.filter((word) => word.includes('=')),
    dryRun: { node, nic, network, ...(channel !== undefined && { channel }) },
  };
};

const vlanIn = (text: string): number => {
  if (!/^\d{1,4}$/.test(text.trim())) throw new UsageError(`${JSON.stringify(text)} is not a VLAN id`);
  return Number(text);
};
