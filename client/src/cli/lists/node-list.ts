import { type Corral, CorralError, TimedOutError } from '../../index.ts';
import type { Command, CommandContext, ParsedArguments } from '../cli-command.ts';
import { runParallel } from '../site-document/run-parallel.ts';
import { field } from '../simple-command.ts';
import { UsageError } from '../usage-error.ts';
import { allNodes, type NodeOverview } from './all-pages.ts';
import { matcherOf } from './match-metadata.ts';
import { naturalOrder } from '../../natural-order.ts';
import { columnNamed, type Extra, knownColumns, type ListedNode, usualColumns } from './node-columns.ts';

/** `corral node list`: all nodes, with what people look for. */
export const nodeList: Command = {
  words: ['node', 'list'],
  about: 'list nodes with their project, state, OBM, networks and metadata',
  options: {
    free: { about: 'only nodes in no project' },
    mine: { about: 'only nodes of your projects' },
    project: { value: 'PROJECT', about: 'only nodes of this project', kind: 'project' },
    match: { value: 'CONDITIONS', about: "only nodes whose metadata fits, such as 'gpus>=4,rack=r1'" },
    columns: { value: 'NAMES', about: `what to show: ${knownColumns.join(', ')}, or labels of metadata` },
    sort: { value: 'COLUMN', about: 'sort by this column; -COLUMN: the other way round' },
  },
  example: "node list --free --match 'gpus>=4' --columns node,gpus,state --sort -gpus",
  run: async (context, parsed) => {
    const query = queryOf(parsed);
    const match = parsed.option('match');
    const fits = match === undefined ? null : matcherOf(match);
    const corral = await context.corral();
    const { event, nodes, others } = await allNodes(corral, query);
    const matching = fits === null ? nodes : nodes.filter(({ metadata }) => fits(metadata));
    const listed: readonly ListedNode[] = [
      ...matching.map((shown) => ({ name: shown.name, shown })),
      // Of these nobody here knows the metadata.
      ...(fits === null ? others.map((name) => ({ name, shown: null })) : []),
    ];
    const names = namesIn(parsed.option('columns')) ?? usualColumns;
    const sort = parsed.option('sort') ?? 'node';
    const isPowerWanted = !context.output.isJson && [...names, sort.replace(/^-/, '')].includes('power');
    const extra = { power: isPowerWanted ? await powerOf(context, corral, matching) : new Map<string, string>() };
    const columns = names.map((name) => columnNamed(name, listed, extra));
    const sorted = inOrder(listed, sort, extra);
    context.output.table(
      columns.map(({ heading }) => heading),
      sorted.map((node) => columns.map(({ text }) => text(node))),
      {
        event,
        nodes: sorted.flatMap(({ shown }) => shown ?? []),
        others: sorted.flatMap(({ name, shown }) => (shown === null ? [name] : [])),
      },
      'no nodes',
    );
  },
};

const queryOf = (parsed: ParsedArguments) => {
  const chosen = ['free', 'mine', 'project'].filter((name) => parsed.flag(name));
  if (chosen.length > 1)
    throw new UsageError(`${chosen.map((name) => `--${name}`).join(' and ')} exclude each other; give one of them`);
  return {
    ...(parsed.flag('free') ? { which: 'free' as const } : {}),
    ...(parsed.flag('mine') ? { which: 'mine' as const } : {}),
    ...field('project', parsed.option('project')),
  };
};

const namesIn = (text: string | undefined): readonly string[] | undefined => {
  const names = text?.split(',').map((name) => name.trim());
  if (names?.some((name) => name === ''))
    throw new UsageError(`--columns ${JSON.stringify(text)}: expected names separated by commas, such as node,project`);
  return names;
};

const inOrder = (nodes: readonly ListedNode[], sort: string, extra: Extra): readonly ListedNode[] => {
  const isDescending = sort.startsWith('-');
  const { text } = columnNamed(isDescending ? sort.slice(1) : sort, nodes, extra);
  const keyed = nodes.map((node) => ({ node, key: text(node) }));
  keyed.sort((a, b) => {
    const order = naturalOrder(a.key, b.key);
    return (isDescending ? -order : order) || naturalOrder(a.node.name, b.node.name);
  });
  return keyed.map(({ node }) => node);
};

/** Asked of every node's BMC, so only where it is wanted. One that does not answer is no failure of the list. */
const powerOf = async (
  { output, signal }: CommandContext,
  corral: Corral,
  nodes: readonly NodeOverview[],
): Promise<ReadonlyMap<string, string>> => {
  const power = new Map<string, string>();
  const managed = nodes.filter(({ obm_enabled }) => obm_enabled === true);
  const progress = output.progress('asking the nodes');
  const askOne = async ({ name }: NodeOverview): Promise<void> => {
    try {
      power.set(name, (await corral.nodePowerStatus({ node: name })).power_status);
    } catch (error) {
      if (!(error instanceof CorralError || error instanceof TimedOutError)) throw error;
      power.set(name, 'unknown');
    }
    progress.update(`asking the nodes, ${power.size} of ${managed.length}`);
  };
  await runParallel(managed, signal, askOne).finally(() => progress.stop());
  return power;
};
