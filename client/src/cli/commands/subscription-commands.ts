import type { Calls, Corral } from '../../index.ts';
import { age } from '../age.ts';
import type { Argument, Command, Kind, Option, ParsedArguments } from '../cli-command.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { reportDone } from '../report-done.ts';
import { field, simpleCommand } from '../simple-command.ts';
import { StoppedError, UsageError } from '../usage-error.ts';

type Subscription = Calls['showSubscription']['reply'];
type Filter = NonNullable<Calls['subscriptionCreate']['args']['filter']>;
type Attempt = Calls['subscriptionTest']['reply'];

const aSubscription: Argument = { name: 'subscription', kind: 'subscription' };

const only = (kind: Kind, value = kind.toUpperCase()): Option => ({
  value,
  about: `only events about this ${kind}`,
  kind,
});

const labelOptions = {
  node: only('node'),
  network: only('network'),
  headnode: only('headnode'),
  switch: only('switch'),
  user: only('user'),
  caller: { value: 'USER', about: 'only events of this caller', kind: 'user' },
} as const satisfies Readonly<Record<string, Option>>;

const projectOption: Option = {
  value: 'PROJECT',
  about: 'events of this project; without it those of the whole site',
  kind: 'project',
};

const filterOptions: Readonly<Record<string, Option>> = {
  types: { value: 'TYPES', about: 'only events of these types, such as node_register,node_delete' },
  ...labelOptions,
};

/** What the options say; undefined: nothing. */
const filterIn = (parsed: ParsedArguments): Filter | undefined => {
  const labels = Object.keys(labelOptions).flatMap((name) => {
    const value = parsed.option(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const types = parsed.option('types')?.split(',');
  const filter: Filter = { ...Object.fromEntries(labels), ...(types === undefined ? {} : { types }) };
  return Object.keys(filter).length === 0 ? undefined : filter;
};

const filterText = (filter: Subscription['filter']): string =>
  Object.entries(filter)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(',') : String(value)}`)
    .join(', ') || 'all';

const showSecret = (output: Output, made: { readonly secret: string }, note: string): void => {
  if (output.isJson) output.json(made);
  output.say(made.secret);
  output.note(note);
};

const showAttempt = (output: Output, { delivered, result }: Attempt, subscription: string): void => {
  if (!delivered) {
    const hint = `corral subscription show ${subscription}`;
    throw new StoppedError(`not delivered: the receiver ${result}`, { code: exitCodes.refused, hint });
  }
  reportDone(output, `delivered: the receiver ${result}`, { delivered, result });
};

const change = (
  verb: 'pause' | 'resume',
  about: string,
  options: Readonly<Record<string, Option>>,
  call: (corral: Corral, subscription: string, parsed: ParsedArguments) => Promise<unknown>,
): Command =>
  simpleCommand({
    usage: `subscription ${verb} <subscription>`,
    about,
    options,
    example: `subscription ${verb} ci`,
    call: (corral, { subscription }, parsed) => call(corral, subscription, parsed),
    sentence: ({ subscription }) => `subscription ${subscription} is ${verb}d`,
  });

/** Webhooks and mail. */
export const subscriptionCommands: readonly Command[] = [
  {
    words: ['subscription', 'create'],
    about: 'send events to a URL from now on; shows the secret that verifies them, once',
    args: [
      { name: 'subscription', kind: 'text' },
      { name: 'url', kind: 'text' },
    ],
    options: {
      project: projectOption,
      ...filterOptions,
    },
    example:
      'subscription create ci https://ci.example.org/hooks/corral --project physics --types project_connect_node',
    run: async ({ corral, output }, parsed) => {
      const filter = filterIn(parsed);
      const made = await (
        await corral()
      ).subscriptionCreate({
        subscription: parsed.arg('subscription'),
        url: parsed.arg('url'),
        ...field('project', parsed.option('project')),
        ...(filter === undefined ? {} : { filter }),
      });
      showSecret(output, made, 'the receiver verifies messages with this secret; it is not shown again');
    },
  },
  {
    words: ['subscription', 'mail'],
    about: 'mail events to yourself from now on, or to another user or an address (administrators)',
    args: [{ name: 'subscription', kind: 'text' }],
    options: {
      to: { value: 'USER', about: 'another user than yourself', kind: 'user' },
      address: { value: 'ADDRESS', about: 'an address instead of a user' },
      project: projectOption,
      ...filterOptions,
    },
    example: 'subscription mail nightly --to ada --project physics',
    run: async ({ corral, output }, parsed) => {
      const subscription = parsed.arg('subscription');
      const [to, address] = [parsed.option('to'), parsed.option('address')];
      if (to !== undefined && address !== undefined) throw new UsageError('--to excludes --address; give one of them');
      const client = await corral();
      const recipient = address === undefined ? { user: to ?? (await client.whoami()).name } : { address };
      const filter = filterIn(parsed);
      await client.subscriptionCreateMail({
        subscription,
        ...recipient,
        ...field('project', parsed.option('project')),
        ...(filter === undefined ? {} : { filter }),
      });
      reportDone(output, `subscription ${subscription} mails events to ${address ?? recipient.user}`);
    },
  },
  {
    words: ['subscription', 'list'],
    about: 'list subscriptions',
    options: { project: { value: 'PROJECT', about: 'only those of this project', kind: 'project' } },
    example: 'subscription list',
    run: async ({ corral, output }, parsed) => {
      const all = await (await corral()).listSubscriptions(field('project', parsed.option('project')));
      const rows = all.map((one) => [
        one.subscription,
        one.project ?? 'whole site',
        one.state,
        String(one.delivered),
        one.last_result === null || one.last_at === null ? 'nothing yet' : `${one.last_result}, ${age(one.last_at)}`,
      ]);
      output.table(['subscription', 'events of', 'state', 'delivered', 'last attempt'], rows, all, 'no subscriptions');
    },
  },
  {
    words: ['subscription', 'show'],
    about: 'show a subscription and how far it is',
    args: [aSubscription],
    example: 'subscription show ci',
    run: async ({ corral, output }, parsed) => {
      const shown = await (await corral()).showSubscription({ subscription: parsed.arg('subscription') });
      output.facts(factsOf(shown), shown);
    },
  },
  {
    words: ['subscription', 'update'],
    about: 'change where a subscription goes, or which events it is for; filters replace those before',
    args: [aSubscription],
    options: {
      url: { value: 'URL', about: 'where events are posted to' },
      all: { about: 'no filters any more' },
      ...filterOptions,
    },
    example: 'subscription update ci --url https://ci.example.org/hooks/new',
    run: async ({ corral, output }, parsed) => {
      const subscription = parsed.arg('subscription');
      const given = filterIn(parsed);
      if (parsed.flag('all') && given !== undefined) throw new UsageError('--all excludes filters; give one of them');
      const filter = parsed.flag('all') ? {} : given;
      const url = parsed.option('url');
      if (url === undefined && filter === undefined) throw new UsageError('say what changes: --url, filters, or --all');
      await (
        await corral()
      ).subscriptionUpdate({ subscription, ...field('url', url), ...(filter === undefined ? {} : { filter }) });
      reportDone(output, `subscription ${subscription} is changed`);
    },
  },
  change('pause', 'stop sending events until it is resumed', {}, (corral, subscription) =>
    corral.subscriptionUpdate({ subscription, paused: true }),
  ),
  change(
    'resume',
    'go on where a subscription was paused',
    { 'from-now': { about: 'skip what happened since' } },
    (corral, subscription, parsed) =>
      corral.subscriptionUpdate({
        subscription,
        paused: false,
        ...(parsed.flag('from-now') ? { from_now: true } : {}),
      }),
  ),
  simpleCommand({
    usage: 'subscription delete <subscription>',
    about: 'delete a subscription with its dead letters',
    example: 'subscription delete ci',
    call: (corral, args) => corral.subscriptionDelete(args),
    sentence: ({ subscription }) => `subscription ${subscription} is deleted`,
  }),
  {
    words: ['subscription', 'test'],
    about: 'send a test message now',
    args: [aSubscription],
    example: 'subscription test ci',
    run: async ({ corral, output }, parsed) => {
      const subscription = parsed.arg('subscription');
      showAttempt(output, await (await corral()).subscriptionTest({ subscription }), subscription);
    },
  },
  {
    words: ['subscription', 'rotate-secret'],
    about: 'give a subscription a new secret; for a day, the old one signs too',
    args: [aSubscription],
    example: 'subscription rotate-secret ci',
    run: async ({ corral, output }, parsed) => {
      const made = await (await corral()).subscriptionRotateSecret({ subscription: parsed.arg('subscription') });
      showSecret(output, made, `the old secret signs too until ${made.old_secret_until}; this one is not shown again`);
    },
  },
  {
    words: ['subscription', 'dead-letters'],
    about: 'list events that could not be delivered',
    args: [aSubscription],
    example: 'subscription dead-letters ci',
    run: async ({ corral, output }, parsed) => {
      const letters = await (await corral()).listDeadLetters({ subscription: parsed.arg('subscription') });
      const rows = letters.map(({ dead_letter, event, reason, died_at }) => [
        String(dead_letter),
        String(event.id),
        event.type,
        reason,
        age(died_at),
      ]);
      output.table(['dead letter', 'event', 'type', 'reason', 'given up'], rows, letters, 'no dead letters');
    },
  },
  {
    words: ['subscription', 'resend'],
    about: 'send a dead letter now; it is deleted if the receiver takes it',
    args: [aSubscription, { name: 'dead_letter', kind: 'text' }],
    example: 'subscription resend ci 17',
    run: async ({ corral, output }, parsed) => {
      const subscription = parsed.arg('subscription');
      const id = parsed.arg('dead_letter');
      if (!/^\d{1,15}$/.test(id)) throw new UsageError(`${id} is not the number of a dead letter`);
      const client = await corral();
      showAttempt(output, await client.subscriptionResend({ subscription, dead_letter: Number(id) }), subscription);
    },
  },
];

const factsOf = (shown: Subscription): readonly (readonly [string, string])[] => [
  ['subscription', shown.subscription],
  ['events of', shown.project ?? 'the whole site'],
  ['only', filterText(shown.filter)],
  ...(shown.user === null ? [] : [['mail to', shown.user] as const]),
  ['url', shown.url],
  ['state', shown.paused_because === null ? shown.state : `${shown.state}: ${shown.paused_because}`],
  ['made', `${age(shown.made_at)} by ${shown.made_by}`],
  ['delivered', String(shown.delivered)],
  ['given up', String(shown.given_up)],
  ['done up to', `event ${shown.position}`],
  ...(shown.last_result === null ? [] : [['last attempt', shown.last_result] as const]),
  ...(shown.retry_at === null ? [] : [['next attempt', `${shown.retry_at}, after ${shown.attempts} failed`] as const]),
  ...(shown.lost_up_to === null
    ? []
    : [['lost', `events up to ${shown.lost_up_to} were deleted before they could be delivered`] as const]),
  ...(shown.old_secret_until === null ? [] : [['old secret', `signs too until ${shown.old_secret_until}`] as const]),
];
