import type { Calls } from '../../index.ts';
import { age } from '../age.ts';
import { carried } from '../carried-vlans.ts';
import type { Command } from '../cli-command.ts';
import { changeOf } from './change-words.ts';
import { switchState } from './switch-list.ts';

type Shown = Calls['switchOverview']['reply'];
type Port = Shown['port_list'][number];

/** `corral switch show`: one switch, and what each of its ports should carry and does. */
export const switchShow: Command = {
  words: ['switch', 'show'],
  about: 'show a switch: its type, fields, state, and its ports with what they carry',
  args: [{ name: 'switch', kind: 'switch' }],
  example: 'switch show tor-1',
  run: async ({ corral, output }, parsed) => {
    const shown = await (await corral()).switchOverview({ switch: parsed.arg('switch') });
    const registered = shown.port_list.flatMap(({ port, registered: isRegistered }) => (isRegistered ? [port] : []));
    output.facts(
      [
        ['name', shown.name],
        ['type', shown.type],
        ['capabilities', shown.capabilities.join(', ') || 'none'],
        ...Object.entries(shown.fields).map(([name, value]) => [name, String(value)] as const),
        ...shown.secrets.map((name) => [name, 'a secret'] as const),
        ...(shown.identity === undefined ? [] : [['identity', shown.identity] as const]),
        ['state', stateOf(shown)],
        ['last read', shown.swept_at === null ? 'never' : age(shown.swept_at)],
        ['drift', shown.policy === 'repair' ? 'is repaired' : 'is reported'],
      ],
      // The names of the ports, as show_switch answers.
      { ...shown, ports: registered },
    );
    if (output.isJson) return;
    output.say('');
    output.table(
      ['port', 'nic', 'networks', 'carries', 'state'],
      shown.port_list.map((port) => [
        port.port,
        port.registered ? [port.node, port.nic].filter((name) => name !== null).join(' ') : 'not registered',
        Object.entries(port.networks)
          .map(([channel, name]) => `${name} (${channel})`)
          .join(', '),
        seenOn(port),
        portState(port),
      ]),
      null,
      'no ports',
    );
    const reasons = shown.port_list.flatMap(({ why }) => why ?? []);
    if (reasons.length > 0) output.say('');
    for (const why of reasons) output.say(why);
  },
};

const stateOf = (shown: Shown): string => {
  const since = shown.fault_since === null ? '' : ` (since ${age(shown.fault_since)})`;
  const next = shown.probe_at === null ? '' : '; it is left alone between attempts';
  return `${switchState(shown)}${since}${next}`;
};

const seenOn = ({ seen, absent }: Port): string => (seen === null && !absent ? '' : carried(seen));

const portState = ({ state, since, pending }: Port): string =>
  [
    `${state === 'unread' ? 'not read yet' : state}${since === null ? '' : ` since ${age(since)}`}`,
    ...(pending === null ? [] : [`waits: ${changeOf(pending)}`]),
  ].join(', ');
