import type { Command } from '../cli-command.ts';
import type { CorralEvent } from '../../index.ts';
import { field } from '../simple-command.ts';
import { whatItWaitsFor } from '../wait-for-change.ts';

const filters = {
  project: { value: 'PROJECT', about: 'only events of this project', kind: 'project' },
  node: { value: 'NODE', about: 'only events about this node', kind: 'node' },
  network: { value: 'NETWORK', about: 'only events about this network', kind: 'network' },
  type: { value: 'TYPE', about: 'only events of this type, such as node_register' },
} as const;

/** What is going on: queued changes, drift, reach, events. */
export const watchCommands: readonly Command[] = [
  {
    words: ['networking-action', 'show'],
    about: 'show the status of a queued change',
    args: [{ name: 'status_id', kind: 'text' }],
    example: 'networking-action show 62b8ac25-1299-4b08-8f1f-f7fdf99d201d',
    run: async ({ corral, output }, parsed) => {
      const action = await (await corral()).showNetworkingAction({ status_id: parsed.arg('status_id') });
      output.facts(
        [
          ['status', action.status],
          ['node', action.node],
          ['nic', action.nic],
          ['network', action.new_network ?? 'none'],
          ['channel', action.channel],
          ...(action.queue === undefined ? [] : [['waits', whatItWaitsFor(action)] as const]),
          ...(action.error === null ? [] : [['error', action.error] as const]),
        ],
        action,
      );
    },
  },
  {
    words: ['drift'],
    about: 'show where switches differ from what is recorded',
    example: 'drift',
    run: async ({ corral, output }) => {
      const drift = await (await corral()).showDrift();
      const rows = drift.switches.flatMap(({ switch: label, fault, ports, in_doubt }) => [
        ...(fault === null ? [] : [[label, '', '', `cannot be read: ${fault}`]]),
        ...ports.map((port) => [
          label,
          port.port,
          port.node === null ? '' : `${port.node} ${port.nic ?? ''}`,
          `${carried(port.seen)} instead of ${carried(port.recorded)}`,
        ]),
        ...in_doubt.map((port) => [label, port, '', 'an aborted change may still arrive']),
      ]);
      const machines = drift.headnodes.leftovers.map((uuid) => [
        'hypervisor',
        '',
        '',
        `machine ${uuid} has no headnode`,
      ]);
      output.table(
        ['switch', 'port', 'nic', 'what'],
        [...rows, ...machines],
        drift,
        'everything matches what is recorded',
      );
    },
  },
  {
    words: ['reach'],
    about: 'show which ports can exchange frames on a network, as read from the switches now',
    args: [{ name: 'network', kind: 'network' }],
    example: 'reach sky',
    run: async ({ corral, output }, parsed) => {
      const reach = await (await corral()).networkReach({ network: parsed.arg('network') });
      const rows = reach.ports.map((port) => [
        port.node === null ? '' : `${port.node} ${port.nic ?? ''}`,
        port.project ?? '',
        port.verdict,
        port.channel ?? '',
        port.switch === undefined ? '' : `${port.switch} ${port.port ?? ''}`,
      ]);
      output.table(['nic', 'project', 'verdict', 'channel', 'port'], rows, reach, 'nobody');
      if (!reach.complete)
        output.say(output.style.yellow('some switches could not be read: this list may be incomplete'));
    },
  },
  {
    words: ['events'],
    about: 'show past events, newest last; with --follow also new ones',
    options: {
      ...filters,
      limit: { value: 'N', about: 'number of past events; default 20' },
      follow: { about: 'show new events until Ctrl-C' },
    },
    example: 'events --node node-12 --limit 5',
    run: async ({ corral, output, signal }, parsed) => {
      const client = await corral();
      const wanted = Object.keys(filters).map((name) => [name, parsed.option(name)] as const);
      const wantedCount = Number(parsed.option('limit') ?? '20');
      const past: CorralEvent[] = [];
      // A service looks at so many events a call: what fits may be further back.
      for (let before: number | null | undefined; before !== null && !(past.length >= wantedCount);) {
        const page: Awaited<ReturnType<typeof client.listEvents>> = await client.listEvents({
          ...field('project', parsed.option('project')),
          ...field('node', parsed.option('node')),
          ...field('network', parsed.option('network')),
          ...field('type', parsed.option('type')),
          limit: parsed.option('limit') ?? '20',
          ...field('before', before === undefined ? undefined : String(before)),
        });
        past.unshift(...[...page.events].reverse());
        before = page.next;
      }
      past.splice(0, Math.max(0, past.length - wantedCount));
      const show = (event: CorralEvent): void => {
        if (output.isJson) output.line(event);
        else output.say(lineOf(event, (text) => output.style.dim(text)));
      };
      past.forEach(show);
      if (!parsed.flag('follow')) return;
      const last = past.at(-1)?.id;
      for await (const event of client.followEvents({ signal, ...(last === undefined ? {} : { after: last }) })) {
        if (wanted.every(([name, value]) => value === undefined || event[name as 'node'] === value)) show(event);
      }
    },
  },
];

const carried = (
  state: { readonly native: number | null; readonly tagged: string; readonly unclear?: string } | null,
): string => {
  if (state === null) return 'no such port';
  if (state.unclear !== undefined) return `perhaps any VLAN ("${state.unclear}" is not understood)`;
  const parts = [
    state.native === null ? '' : `VLAN ${state.native}`,
    state.tagged === '' ? '' : `tagged ${state.tagged}`,
  ];
  return parts.filter((part) => part !== '').join(', ') || 'nothing';
};

const lineOf = (event: CorralEvent, dim: (text: string) => string): string => {
  const objects = ['project', 'node', 'nic', 'network', 'headnode', 'hnic', 'switch', 'port', 'user'] as const;
  const about = objects.flatMap((name) => (event[name] ? [`${dim(`${name}=`)}${event[name]}`] : []));
  return [dim(event.at), event.type, ...about, dim(`by ${event.caller}`)].join('  ');
};
