import { type Calls, type Corral, CorralError, type Release, ReleaseFailedError, TimedOutError } from '../index.ts';
import type { Command, CommandContext } from './cli-command.ts';
import { exitCodes, failureOf } from './exit-codes.ts';
import { runParallel } from './site-document/run-parallel.ts';
import { StoppedError } from './usage-error.ts';

type NodeOverview = Calls['nodeOverview']['reply'];

/** A node that is to be released: as it was before, or why it cannot be shown. */
interface Named {
  readonly node: string;
  readonly before: NodeOverview | null;
  readonly refusals: readonly string[];
}

/** The same after the service was asked to release it; null: it was not. */
interface Asked extends Named {
  readonly release: string | null;
}

/** What became of a node that was to be released. */
interface Released {
  readonly node: string;
  /** The project that it was in at the beginning; null: none. */
  readonly project: string | null;
  /** The release that the service makes of it; null: none was begun. */
  readonly release: string | null;
  /** What was done, in order. */
  readonly done: readonly string[];
  /** Everything that keeps it in its project; empty: it has left, or is about to. */
  readonly refusals: readonly string[];
  /** The release goes on, and was not waited for any longer. */
  readonly isRunning: boolean;
}

/** As many nodes as one call takes. */
const mostNodes = 200;

/** `corral release`: has the service give nodes back, and shows how far it is. */
export const releaseCommand: Command = {
  words: ['release'],
  about: 'give nodes back: detach their networks, disable OBM and release them; run it again to continue',
  args: [{ name: 'node', kind: 'node', isRest: true }],
  options: {
    'for-repair': { value: 'NOTE', about: 'what is wrong with them; an administrator has to put them back' },
    'no-wait': { about: 'return as soon as the releases have begun' },
  },
  example: 'release node-12',
  run: async (context, parsed) => {
    const corral = await context.corral();
    const { signal } = context;
    const nodes = [...new Set(parsed.rest('node'))];
    const named = await runParallel(nodes, signal, (node) => nameNode(corral, node));
    const forRepair = parsed.option('for-repair');
    const asked = await ask(corral, named, forRepair);
    const released = parsed.flag('no-wait') ? asked.map(begun) : await follow(context, corral, asked);
    show(context, released, forRepair !== undefined);
    const left = released.filter(({ refusals }) => refusals.length > 0);
    if (left.length === 0) return;
    throw new StoppedError(`${left.length} of ${nodes.length} nodes could not be released`, {
      code: left.every(({ isRunning }) => isRunning) ? exitCodes.timedOut : exitCodes.refused,
      hint: `run it again to continue: ${againWith(left, forRepair)}`,
    });
  },
};

const againWith = (left: readonly Released[], forRepair: string | undefined): string => {
  const nodes = left.map(({ node }) => node).join(' ');
  // In quotes that a shell does not look into.
  const note = forRepair === undefined ? '' : ` --for-repair '${forRepair.replaceAll("'", String.raw`'\''`)}'`;
  return `corral release ${nodes}${note}`;
};

const nameNode = async (corral: Corral, node: string): Promise<Named> => {
  try {
    return { node, before: await corral.nodeOverview({ node }), refusals: [] };
  } catch (error) {
    return { node, before: null, refusals: [refusalIn(error)] };
  }
};

/** The sentence of what a person can do something about; anything else ends the command. */
const refusalIn = (error: unknown): string => {
  if (!(error instanceof CorralError)) throw error;
  return failureOf(error).message;
};

/** Begins the releases, project by project. A node whose project is not known, or that is in none, is left as it is. */
const ask = async (
  corral: Corral,
  named: readonly Named[],
  forRepair: string | undefined,
): Promise<readonly Asked[]> => {
  const note = forRepair === undefined ? {} : { for_repair: forRepair };
  const outcomes = new Map<string, Pick<Asked, 'release' | 'refusals'>>();
  const byProject = new Map<string, string[]>();
  for (const { node, before } of named) {
    const project = before?.project ?? null;
    if (project !== null) byProject.set(project, [...(byProject.get(project) ?? []), node]);
  }
  for (const [project, all] of byProject) {
    for (let from = 0; from < all.length; from += mostNodes) {
      const nodes = all.slice(from, from + mostNodes);
      try {
        const { releases } = await corral.projectReleaseNodes({ project, nodes, ...note });
        for (const { node, release } of releases) outcomes.set(node, { release, refusals: [] });
      } catch (error) {
        for (const node of nodes) outcomes.set(node, { release: null, refusals: [refusalIn(error)] });
      }
    }
  }
  return named.map((one) => ({ release: null, ...one, ...outcomes.get(one.node) }));
};

/** What is known of a node whose release is not waited for. */
const begun = ({ node, before, release, refusals }: Asked): Released => ({
  node,
  project: before?.project ?? null,
  release,
  done: [],
  refusals,
  isRunning: release !== null,
});

/** Waits until all releases have ended. */
const follow = async (
  { output, signal, timeoutMs }: CommandContext,
  corral: Corral,
  asked: readonly Asked[],
): Promise<readonly Released[]> => {
  const progress = output.progress('releasing');
  const began = asked.filter(({ release }) => release !== null);
  try {
    return await runParallel(asked, signal, async (one) => {
      const { node, before, release } = one;
      if (release === null || before === null) return begun(one);
      try {
        const ended = await corral.waitForRelease(release, {
          signal,
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
          // A stream of events each would be more than one caller may have.
          listens: began.length === 1,
          onRunning: (running) => progress.update(`${node}: ${whatItDoes(running)}`),
        });
        return { ...begun(one), isRunning: false, done: doneOf(ended, before, null) };
      } catch (error) {
        signal.throwIfAborted();
        return await unfinished(corral, one, { release, before }, error);
      }
    });
  } finally {
    progress.stop();
    if (signal.aborted && began.length > 0) output.note(`still being released: ${began.map(showing).join('; ')}`);
  }
};

const showing = ({ node, release }: { readonly node: string; readonly release: string | null }): string =>
  `node ${node} (corral project release show ${release ?? ''})`;

const unfinished = async (
  corral: Corral,
  one: Asked,
  { release, before }: { readonly release: string; readonly before: NodeOverview },
  error: unknown,
): Promise<Released> => {
  if (error instanceof TimedOutError) {
    return { ...begun(one), refusals: [`${error.message}: corral project release show ${release}`] };
  }
  if (!(error instanceof ReleaseFailedError)) return { ...begun(one), refusals: [refusalIn(error)] };
  const now = await corral.nodeOverview({ node: one.node });
  // The service tells the first reason why it cannot leave; all of them are shown.
  const all = error.step === 'project' ? (now.blocked ?? []).map(({ message }) => message) : [];
  const ended = await corral.showRelease({ release });
  const refusals = all.length > 0 ? all : [error.message];
  return { ...begun(one), isRunning: false, done: doneOf(ended, before, now), refusals };
};

/** What a release did; `now`: the node that is still in its project, null: it has left. */
const doneOf = (release: Release, before: NodeOverview, now: NodeOverview | null): string[] => {
  const isOn = ({ nic, network }: { readonly nic: string; readonly network: string }): boolean =>
    now?.nics.some(({ label, networks }) => label === nic && Object.values(networks).includes(network)) ?? false;
  const detached = release.detaches
    .filter((one) => !isOn(one))
    .map(({ nic, network }) => `nic ${nic} is detached from network ${network}`);
  const isDisabled = before.obm_enabled === true && now?.obm_enabled !== true;
  return [
    ...new Set(detached),
    ...(isDisabled ? ['OBM is disabled'] : []),
    ...(now === null ? [`it has left project ${release.project}`] : []),
  ];
};

/** What a release that is running does, and why it takes so long. */
export const whatItDoes = ({ step, project, detaches, problem }: Release): string => {
  const last = detaches.at(-1);
  const doing = {
    networks: last === undefined ? 'waiting for pending changes' : `detaching nic ${last.nic} from ${last.network}`,
    obm: 'disabling OBM',
    project: `leaving project ${project}`,
  }[step];
  return problem === null ? doing : `${doing}; trying again: ${problem}`;
};

const show = ({ output }: CommandContext, released: readonly Released[], isForRepair: boolean): void => {
  if (output.isJson) {
    return output.json(
      released.map(({ node, project, release, done, refusals }) => ({ node, project, release, done, refusals })),
    );
  }
  for (const one of released) {
    const { node, project, done, refusals, isRunning } = one;
    for (const step of done) output.say(output.style.dim(`  ${node}: ${step}`));
    if (refusals.length > 0) {
      output.say(`${output.style.red('✗')} node ${node} is not released:`);
      for (const refusal of refusals) output.say(`  ${refusal}`);
    } else if (isRunning) {
      output.say(`being released: ${showing(one)}`);
    } else {
      const released = `is released from project ${project ?? ''}${isForRepair ? ', and waits for repair' : ''}`;
      output.say(`${output.style.green('✓')} node ${node} ${project === null ? 'is in no project' : released}`);
    }
  }
};
