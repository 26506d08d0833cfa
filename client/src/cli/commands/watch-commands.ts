import { calls } from '../../calls.ts';
import type { Command } from '../cli-command.ts';
import type { CorralEvent } from '../../index.ts';
import { actionList } from '../lists/action-list.ts';
import { field } from '../simple-command.ts';
import { nearest, UsageError } from '../usage-error.ts';
import { whatItWaitsFor } from '../wait-for-change.ts';

const filters = {
  project: { value: 'PROJECT', about: 'only events of this project', kind: 'project' },
  node: { value: 'NODE', about: 'only events about this node', kind: 'node' },
  network: { value: 'NETWORK', about: 'only events about this network', kind: 'network' },
  type: { value: 'TYPE', about: 'only events of this type, such as node_register' },
} as const;

/** What is going on: queued changes, events. */
export const watchCommands: readonly Command[] = [
  actionList,
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
      const wantedCount = countIn(parsed.option('limit') ?? '20');
      const past: CorralEvent[] = [];
      // A service looks at so many events a call: what fits may be further back.
      for (let before: number | null | undefined; before !== null && !(past.length >= wantedCount);) {
        const page: Awaited<ReturnType<typeof client.listEvents>> = await client.listEvents({
          ...field('project', parsed.option('project')),
          ...field('node', parsed.option('node')),
          ...field('network', parsed.option('network')),
          ...field('type', parsed.option('type')),
          limit: String(Math.min(wantedCount, mostAPage)),
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
      if (past.length === 0) output.note(`no events${unknownType(parsed.option('type'))}`);
      if (!parsed.flag('follow')) return;
      const last = past.at(-1)?.id;
      for await (const event of client.followEvents({ signal, ...(last === undefined ? {} : { after: last }) })) {
        if (wanted.every(([name, value]) => value === undefined || event[name as 'node'] === value)) show(event);
      }
    },
  },
];

/** Most types are names of calls: one that nothing was found of may be misspelled. */
const unknownType = (type: string | undefined): string => {
  if (type === undefined) return '';
  const names = Object.values(calls).map(({ name }) => name);
  const meant = names.some((name) => name === type) ? null : nearest(type, names);
  return ` of type ${type}${meant === null ? '' : `; did you mean ${meant}?`}`;
};

/** What the service gives at once. */
const mostAPage = 1_000;

const countIn = (text: string): number => {
  const count = Number(text);
  if (!/^[1-9]\d*$/.test(text) || count > Number.MAX_SAFE_INTEGER)
    throw new UsageError(`--limit ${text}: expected a number of events, 1 or more`);
  return count;
};

const lineOf = (event: CorralEvent, dim: (text: string) => string): string => {
  const objects = ['project', 'node', 'nic', 'network', 'headnode', 'hnic', 'switch', 'port', 'user'] as const;
  const about = objects.flatMap((name) => (event[name] ? [`${dim(`${name}=`)}${event[name]}`] : []));
  return [dim(event.at), event.type, ...about, dim(`by ${event.caller}`)].join('  ');
};
