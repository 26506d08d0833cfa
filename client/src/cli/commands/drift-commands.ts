import type { Calls } from '../../index.ts';
import { age } from '../age.ts';
import { carried } from '../carried-vlans.ts';
import type { Command } from '../cli-command.ts';
import type { Output } from '../output.ts';
import { simpleCommand } from '../simple-command.ts';
import { sweepAll } from '../sweep-all.ts';
import { UsageError } from '../usage-error.ts';

type SwitchDrift = Calls['showSwitchDrift']['reply'];

/** What switches carry, and how that compares with what is recorded. */
export const driftCommands: readonly Command[] = [
  {
    words: ['drift'],
    about: 'show where switches differ from what is recorded; on a terminal they are read first',
    args: [{ name: 'switch', kind: 'switch', isOptional: true }],
    options: {
      now: { about: 'read the switches first; the default on a terminal' },
      last: { about: 'show what was last read; the default in scripts' },
    },
    example: 'drift --last',
    run: async (context, parsed) => {
      const { corral, output } = context;
      if (parsed.flag('now') && parsed.flag('last')) throw new UsageError('--now or --last, not both');
      const client = await corral();
      const label = parsed.optional('switch');
      const readsNow = parsed.flag('now') || (output.isTerminal && !parsed.flag('last'));
      if (label !== undefined) {
        if (readsNow) await sweepAll(context, client, [label]);
        const view = await client.showSwitchDrift({ switch: label });
        output.table(headings, rowsOf(view), view, 'nothing');
        return;
      }
      if (readsNow) await sweepAll(context, client, await client.listSwitches());
      const { switches, headnodes } = await client.showDrift();
      const machines = headnodes.leftovers.map((uuid) => [
        'hypervisor',
        'now',
        '',
        '',
        `machine ${uuid} has no headnode`,
      ]);
      const fault =
        headnodes.fault === null ? [] : [['hypervisor', 'now', '', '', `cannot be asked: ${headnodes.fault}`]];
      const rows = [...oldestFirst(switches).flatMap(rowsOf), ...machines, ...fault];
      output.table(headings, rows, { switches, headnodes }, 'there are no switches');
    },
  },
  {
    words: ['switch', 'sweep'],
    about: 'read a whole switch now, and show where it differs from what is recorded',
    args: [{ name: 'switch', kind: 'switch' }],
    example: 'switch sweep tor-1',
    run: async ({ corral, output }, parsed) => {
      const label = parsed.arg('switch');
      const client = await corral();
      const progress = output.progress(`reading switch ${label}`);
      const view = await client.switchSweep({ switch: label }).finally(() => progress.stop());
      output.table(headings, rowsOf(view), view, 'nothing');
    },
  },
  simpleCommand({
    usage: 'switch policy <switch> <policy:report|repair>',
    about: 'set what happens to ports that differ from what is recorded: report them, or repair them',
    example: 'switch policy tor-1 repair',
    call: (corral, { switch: label, policy }) =>
      corral.switchSetPolicy({ switch: label, policy: policy === 'repair' ? 'repair' : 'report' }),
    sentence: ({ switch: label, policy }) =>
      policy === 'repair'
        ? `ports of switch ${label} that differ are repaired`
        : `ports of switch ${label} that differ are reported`,
  }),
  {
    words: ['reach'],
    about: 'show which ports can exchange frames on a network, as read from the switches now',
    args: [{ name: 'network', kind: 'network' }],
    example: 'reach sky',
    run: async ({ corral, output }, parsed) => {
      const client = await corral();
      const progress = output.progress('reading the switches');
      const reach = await client.networkReach({ network: parsed.arg('network') }).finally(() => progress.stop());
      const rows = reach.ports.map((port) => [
        port.node === null ? '' : `${port.node} ${port.nic ?? ''}`,
        port.project ?? '',
        port.verdict,
        port.channel ?? '',
        asOf(port.read_at),
        port.switch === undefined ? '' : `${port.switch} ${port.port ?? ''}`,
      ]);
      output.table(['nic', 'project', 'verdict', 'channel', 'as of', 'port'], rows, reach, 'nobody');
      if (!reach.complete)
        output.say(output.style.yellow('some switches could not be read: this list may be incomplete'));
      for (const { switch: label, fault, read_at } of reach.switches ?? []) {
        if (fault !== null) sayUnread(output, label, fault, read_at);
      }
    },
  },
];

const headings = ['switch', 'as of', 'port', 'nic', 'what'];

const asOf = (time: string | null): string => (time === null ? 'never' : age(time));

/** The statement about a switch that is least certain comes first. */
const oldestFirst = (views: readonly SwitchDrift[]): readonly SwitchDrift[] =>
  views.toSorted((one, other) => Date.parse(one.swept_at ?? '1970') - Date.parse(other.swept_at ?? '1970'));

const rowsOf = ({ switch: label, swept_at, fault, ports, unread, in_doubt, save_fault }: SwitchDrift): string[][] => {
  const row = (port: string, nic: string, what: string): string[] => [label, asOf(swept_at), port, nic, what];
  const rows = [
    ...(fault === null ? [] : [row('', '', `cannot be read: ${fault}`)]),
    ...ports.map((port) =>
      row(
        port.port,
        port.node === null ? '' : `${port.node} ${port.nic ?? ''}`,
        `${carried(port.seen)} instead of ${carried(port.recorded)}`,
      ),
    ),
    ...unread.map((port) => row(port, '', 'not read yet')),
    ...in_doubt.map((port) => row(port, '', 'an aborted change may still arrive')),
    ...(save_fault === null ? [] : [row('', '', `configuration not saved: ${save_fault}`)]),
  ];
  if (rows.length > 0) return rows;
  return [row('', '', swept_at === null ? 'not read yet' : 'as recorded')];
};

const sayUnread = (output: Output, label: string, fault: string, readAt: string | null): void =>
  output.say(output.style.yellow(`switch ${label} (as of ${asOf(readAt)}): ${fault}`));
