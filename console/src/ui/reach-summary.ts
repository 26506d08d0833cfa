import type { HeadnodeOverview, Reach } from '../api/client.ts';

/** What the switches said, who asked and when; times of asking by the clock of the browser. */
export interface ReachReport {
  readonly report: 'network reach';
  readonly service: string;
  readonly caller: string;
  readonly asked_at: string;
  readonly answered_at: string;
  readonly answer: Reach;
  /** As the service has them: switches say nothing of them. Those that the caller may see. */
  readonly headnodes: readonly HeadnodeOnNetwork[];
}

/** A headnode that is on a network, as it is recorded. */
export interface HeadnodeOnNetwork {
  readonly headnode: string;
  readonly project: string;
  readonly hnics: readonly string[];
  readonly state: HeadnodeOverview['state'];
}

export const headnodesOn = (headnodes: readonly HeadnodeOverview[], network: string): readonly HeadnodeOnNetwork[] =>
  headnodes.flatMap(({ name, project, hnics, state }) => {
    const on = hnics.filter((hnic) => hnic.network === network).map(({ label }) => label);
    return on.length === 0 ? [] : [{ headnode: name, project, hnics: on, state }];
  });

/** What an answer about a network's reach comes to, in sentences. */
interface ReachSummary {
  readonly tone: 'ok' | 'warn' | 'bad';
  /** Which projects can hear each other, without a full stop. */
  readonly sentence: string;
  /** How much of it the switches said, such as `6 ports on 2 switches`. */
  readonly extent: string;
  /** The oldest reading that it rests on. */
  readonly readAt: string | null;
  /** What is not as it should be, each in a sentence. */
  readonly notes: readonly string[];
}

type ReachPort = Reach['ports'][number];

/**
 * `access`: the projects that may use the network; null: everybody. Says `only` if every switch was read and every port
 * is known, and not otherwise.
 */
export const summaryOf = (
  reach: Reach,
  access: readonly string[] | null,
  headnodes: readonly HeadnodeOnNetwork[],
): ReachSummary => {
  const { network, complete, ports, switches } = reach;
  const carriers = ports.filter(({ channel }) => channel !== null);
  const count = (verdict: string): number => ports.filter((port) => port.verdict === verdict).length;
  const projects = distinct([...carriers, ...headnodes].map(({ project }) => project));
  const outsiders = access === null ? [] : projects.filter((project) => !access.includes(project));
  const on = distinct(carriers.map((port) => port.switch ?? null));
  const times = [...ports, ...(switches ?? [])].flatMap(({ read_at }) => (read_at === null ? [] : [read_at]));
  const isBad = count('unexpected') > 0 || outsiders.length > 0;
  const isOdd = !complete || count('unknown') + count('missing') + count('unregistered') > 0;
  return {
    tone: isBad ? 'bad' : isOdd ? 'warn' : 'ok',
    sentence: sentenceAbout(network, hearersIn(carriers, projects), complete),
    extent: `${many(carriers.length, 'port')}${on.length === 0 ? '' : ` on ${many(on.length, 'switch', 'switches')}`}`,
    readAt: times.toSorted()[0] ?? null,
    notes: [
      ...outsiders.map((project) => `Project ${project} has no access to ${network}, and hears it.`),
      noteOf(count('unexpected'), 'carries it otherwise than recorded', 'carry it otherwise than recorded'),
      noteOf(
        count('unregistered'),
        'that is not registered carries it: everything behind it is on the network too',
        'that are not registered carry it: everything behind them is on the network too',
      ),
      noteOf(count('missing'), 'does not carry it, although it should', 'do not carry it, although they should'),
      noteOf(count('unknown'), 'may carry it: its state is not known', 'may carry it: their state is not known'),
    ].filter((note) => note !== ''),
  };
};

const distinct = (names: readonly (string | null)[]): readonly string[] =>
  [...new Set(names.filter((name) => name !== null))].sort();

const many = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

const noteOf = (count: number, one: string, more: string): string =>
  count === 0 ? '' : `${many(count, 'port')} ${count === 1 ? one : more}.`;

/** Everybody on the network: projects by name, the rest by what and how many. */
const hearersIn = (carriers: readonly ReachPort[], projects: readonly string[]): readonly string[] => {
  const free = new Set(carriers.flatMap(({ node, project }) => (node !== null && project === null ? [node] : [])));
  const unregistered = carriers.filter(({ verdict }) => verdict === 'unregistered').length;
  const empty = carriers.filter(({ node }) => node === null).length - unregistered;
  return [
    ...(projects.length === 0 ? [] : [`${projects.length === 1 ? 'project' : 'projects'} ${listed(projects)}`]),
    ...(free.size === 0 ? [] : [many(free.size, 'free node')]),
    ...(empty === 0 ? [] : [many(empty, 'port without a node', 'ports without nodes')]),
    ...(unregistered === 0 ? [] : [`what is behind ${many(unregistered, 'unregistered port')}`]),
  ];
};

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const sentenceAbout = (network: string, hearers: readonly string[], isWhole: boolean): string => {
  if (hearers.length === 0)
    return isWhole ? `Nobody can hear anything on ${network}` : `Of what was read, nothing carries ${network}`;
  const isAlone = hearers.length === 1 && !hearers[0]?.startsWith('projects ');
  const can = !isAlone ? 'can hear each other on' : isWhole ? 'can hear anything on' : 'is on';
  return `${isWhole ? 'Only' : 'At least'} ${listed(hearers)} ${can} ${network}`;
};
