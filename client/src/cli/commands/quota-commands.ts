import type { Corral } from '../../index.ts';
import type { Command, Option, ParsedArguments } from '../cli-command.ts';
import { naturalOrder } from '../../natural-order.ts';
import { field, simpleCommand } from '../simple-command.ts';
import { UsageError } from '../usage-error.ts';

const whose = {
  project: {
    value: 'PROJECT',
    about: 'for this project; default: for all that have none of their own',
    kind: 'project',
  },
  class: { value: 'CLASS', about: 'of nodes: only those of this class' },
} as const satisfies Readonly<Record<string, Option>>;

const whoseFields = (parsed: ParsedArguments) => ({
  ...field('project', parsed.option('project')),
  ...field('class', parsed.option('class')),
});

type Kind = 'nodes' | 'networks' | 'headnodes';

const kindOf = (what: string): Kind => {
  if (what === 'nodes' || what === 'networks' || what === 'headnodes') return what;
  throw new UsageError(`${what} cannot be limited; expected nodes, networks or headnodes`);
};

const limitOf = (text: string): number | null => {
  if (text === 'none') return null;
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new UsageError(`${text} is no limit; expected a number such as 4, or none`);
};

/** `nodes of class gpu of project lab`. */
const named = (what: string, parsed: ParsedArguments): string => {
  const [nodeClass, project] = [parsed.option('class'), parsed.option('project')];
  return `${what}${nodeClass === undefined ? '' : ` of class ${nodeClass}`}${project === undefined ? ' of every project without a quota of its own' : ` of project ${project}`}`;
};

const shown = (limit: number | null): string => (limit === null ? 'none' : String(limit));

/** What applies to one project, and how much of it is used. */
const ofProject = async (corral: Corral, project: string) => {
  const quotas = await corral.listProjectQuotas({ project });
  return {
    headings: ['what', 'class', 'used', 'limit'],
    rows: quotas.map(({ what, class: name, used, limit }) => [what, name ?? '-', String(used), shown(limit)]),
    quotas,
  };
};

/** Every quota there is. */
const ofAll = async (corral: Corral) => {
  const quotas = await corral.listQuotas();
  const sorted = quotas.toSorted((one, other) => naturalOrder(one.project ?? '', other.project ?? ''));
  return {
    headings: ['project', 'what', 'class', 'limit'],
    rows: sorted.map(({ project, what, class: name, limit }) => [
      project ?? 'all others',
      what,
      name ?? '-',
      shown(limit),
    ]),
    quotas: sorted,
  };
};

/** How much projects may have. */
export const quotaCommands: readonly Command[] = [
  simpleCommand({
    usage: 'quota set <what:nodes|networks|headnodes> <limit:text>',
    about: 'limit how much a project may have; none: no limit, also if there is one for all',
    options: whose,
    example: 'quota set nodes 4 --project astronomy --class gpu',
    call: (corral, { what, limit }, parsed) =>
      corral.quotaSet({
        what: kindOf(what),
        limit: limitOf(limit),
        ...whoseFields(parsed),
      }),
    sentence: ({ what, limit }, parsed) => `${named(what, parsed)} are limited to ${limit}`,
  }),
  simpleCommand({
    usage: 'quota delete <what:nodes|networks|headnodes>',
    about: 'delete a quota',
    options: whose,
    example: 'quota delete nodes --project astronomy --class gpu',
    call: (corral, { what }, parsed) =>
      corral.quotaDelete({
        what: kindOf(what),
        ...whoseFields(parsed),
      }),
    sentence: ({ what }, parsed) => `the quota for ${named(what, parsed)} is deleted`,
  }),
  {
    words: ['quota', 'list'],
    about: 'list what a project is limited to and what it uses, or all quotas (administrators only)',
    args: [{ name: 'project', kind: 'project', isOptional: true }],
    example: 'quota list astronomy',
    run: async ({ corral, output }, parsed) => {
      const project = parsed.optional('project');
      const client = await corral();
      const { headings, rows, quotas } = await (project === undefined ? ofAll(client) : ofProject(client, project));
      output.table(headings, rows, quotas, 'no quotas');
    },
  },
];
