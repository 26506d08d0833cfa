import type { Calls } from '../../index.ts';
import { age } from '../age.ts';
import type { Command } from '../cli-command.ts';
import { reportDone } from '../report-done.ts';
import { simpleCommand } from '../simple-command.ts';
import { UsageError } from '../usage-error.ts';

type Cleaning = Calls['listCleanings']['reply']['cleanings'][number];
type State = Cleaning['state'];

const states: readonly State[] = ['running', 'maintenance', 'passed', 'failed'];

const stateIn = (text: string | undefined): { readonly state?: State } => {
  if (text === undefined) return {};
  const state = states.find((one) => one === text);
  if (state === undefined) throw new UsageError(`--state takes one of ${states.join(', ')}`);
  return { state };
};

/** What nodes go through between two projects. */
export const cleaningCommands: readonly Command[] = [
  {
    words: ['cleaning', 'list'],
    about:
      'list the cleanings of nodes that left a project, newest first; those that are not over unless --state is given',
    options: {
      state: { value: 'STATE', about: `only these: ${states.join(', ')}` },
      node: { value: 'NODE', about: 'only those of this node, over or not', kind: 'node' },
    },
    example: 'cleaning list',
    run: async ({ corral, output }, parsed) => {
      const client = await corral();
      const node = parsed.option('node');
      const asked = { ...stateIn(parsed.option('state')), ...(node === undefined ? {} : { node }) };
      const wanted = Object.keys(asked).length > 0 ? [asked] : openStates.map((state) => ({ state }));
      const cleanings: Cleaning[] = [];
      for (const query of wanted) {
        let after: string | null = null;
        do {
          const page: Calls['listCleanings']['reply'] = await client.listCleanings({
            ...query,
            ...(after === null ? {} : { after }),
          });
          cleanings.push(...page.cleanings);
          after = page.next;
        } while (after !== null);
      }
      const rows = cleanings.map((one) => [one.node, one.state, one.step ?? '', age(one.created_at), one.cleaning]);
      output.table(['node', 'state', 'step', 'began', 'cleaning'], rows, { cleanings }, 'no cleanings');
    },
  },
  {
    words: ['cleaning', 'show'],
    about: 'show a cleaning and its steps',
    args: [{ name: 'cleaning', kind: 'text' }],
    options: { evidence: { about: 'also what was read, and what commands and services said' } },
    example: 'cleaning show 62b8ac25-1299-4b08-8f1f-f7fdf99d201d',
    run: async ({ corral, output }, parsed) => {
      const shown = await (await corral()).showCleaning({ cleaning: parsed.arg('cleaning') });
      const evidence = (text: string | null): string =>
        parsed.flag('evidence') && text !== null ? `\n${text.trimEnd()}` : '';
      output.facts(
        [
          ['node', shown.node],
          ['left project', shown.project ?? 'none'],
          ['state', shown.state],
          ['began', shown.created_at],
          ...(shown.reason === null ? [] : [['reason', shown.reason] as const]),
          ...shown.steps.map((step): readonly [string, string] => [
            `step ${step.name}`,
            `${step.state}${step.sentence === null ? '' : `: ${step.sentence}`}${evidence(step.evidence)}`,
          ]),
        ],
        shown,
      );
    },
  },
  simpleCommand({
    usage: 'cleaning retry <cleaning:text>',
    about: 'clean a quarantined node again, from the first step on',
    example: 'cleaning retry 62b8ac25-1299-4b08-8f1f-f7fdf99d201d',
    call: (corral, args) => corral.cleaningRetry(args),
    sentence: ({ cleaning }) => `cleaning ${cleaning} has begun again`,
  }),
  simpleCommand({
    usage: 'cleaning skip <cleaning:text> <step:text> <reason:text>',
    about: 'leave out a step of a cleaning, and say why; after a failure, retry the cleaning then',
    example: 'cleaning skip 62b8ac25-1299-4b08-8f1f-f7fdf99d201d power "has no BMC"',
    call: (corral, args) => corral.cleaningSkip(args),
    sentence: ({ cleaning, step }) => `step ${step} of cleaning ${cleaning} is skipped`,
  }),
  {
    words: ['node', 'quarantine'],
    about: 'take a node that is in no project, or is being cleaned, out of service; retry its cleaning to put it back',
    args: [
      { name: 'node', kind: 'node' },
      { name: 'reason', kind: 'text' },
    ],
    example: 'node quarantine node-12 "fan failed"',
    run: async ({ corral, output }, parsed) => {
      const node = parsed.arg('node');
      const { cleaning } = await (await corral()).nodeQuarantine({ node, reason: parsed.arg('reason') });
      reportDone(output, `node ${node} is quarantined; to put it back: corral cleaning retry ${cleaning}`, {
        cleaning,
      });
    },
  },
];

const openStates: readonly State[] = ['failed', 'running', 'maintenance'];
