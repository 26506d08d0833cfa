import { readFile } from 'node:fs/promises';
import { type Corral, CorralError } from '../../index.ts';
import type { ParsedArguments, CommandContext } from '../cli-command.ts';
import { exitCodes, failureOf } from '../exit-codes.ts';
import { StoppedError, UsageError } from '../usage-error.ts';
import { confirm } from '../prompts.ts';
import { counted } from '../counted.ts';
import { reportDone } from '../report-done.ts';
import { unreadable } from '../read-error.ts';
import { readServiceState } from './service-state.ts';
import { apply, type Outcome } from './apply-plan.ts';
import { causesOf, type Obstacle, obstaclesIn, readWired, tellObstacles } from './check-reservable.ts';
import { readDocument } from './read-document.ts';
import type { SitePlan } from './site-plan.ts';
import { partsOf, planFor } from './make-plan.ts';
import { readPorts } from './port-index.ts';
import { type Reverted, revertPorts, tellReverted } from './revert-ports.ts';
import type { Mistake } from './yaml-reader.ts';
import { readSecrets } from './plan-secrets.ts';
import { itemsOf, showPlan } from './show-plan.ts';
import { noBmcTypes, noSwitchTypes, readBmcTypes, readSwitchTypes } from '../device-fields.ts';
import { readBmcs } from './read-bmcs.ts';
import type { Secret, DesiredState } from './desired-state.ts';

/** `corral apply`: reads, compares, shows, asks, and then makes one call after the other. */
export const runApply = async (context: CommandContext, parsed: ParsedArguments): Promise<void> => {
  const { output } = context;
  const file = parsed.arg('file');
  const { wanted: desired, mistakes, isReadable } = readDocument(await textOf(file));
  if (!isReadable) requireNone(file, mistakes);
  const corral = await context.corral({ onInterrupt: 'finish' });
  const { draft: plan, secretOf } = await compared(context, corral, file, desired).catch((error: unknown) => {
    requireNone(file, mistakes);
    throw error;
  });
  requireNone(file, [...mistakes, ...plan.mistakes]);

  const total = plan.stages.flat().length;
  if (total === 0) {
    if (!output.isJson) {
      showPlan(output, plan, parsed.flag('all'));
      reportDone(output, `nothing to do: ${corral.endpoint} already matches ${file}`);
    }
    tellExtras(context, plan);
    await checkReservable(context, parsed, corral, { file, desired, plan, outcome: nothingDone });
    return;
  }
  showPlan(output, plan, parsed.flag('all'));
  if (parsed.flag('dry-run')) {
    if (output.isJson) output.json(report(plan, { done: 0, left: plan.stages.flat(), stopped: null }));
    return;
  }
  if (
    !parsed.flag('yes') &&
    !(await confirm(context.terminal, `make these ${counted(total)} calls to ${corral.endpoint}?`, '--yes'))
  ) {
    throw new UsageError('nothing was changed');
  }

  const outcome = await applied(context, corral, plan, {
    secretOf,
    again: async () => (await compared(context, corral, file, desired)).draft,
  });
  if (output.isJson && outcome.left.length > 0) output.json(report(plan, outcome));
  requireWhole(context, file, outcome, total);
  if (!output.isJson) reportDone(output, `${corral.endpoint} now matches ${file}: ${counted(total)} calls made`);
  tellExtras(context, plan);
  await readWired(context, corral, desired, plan.stages.flat());
  await checkReservable(context, parsed, corral, { file, desired, plan, outcome });
};

const nothingDone: Outcome = { done: 0, left: [], stopped: null };

interface Applied {
  readonly file: string;
  readonly desired: DesiredState;
  readonly plan: SitePlan;
  readonly outcome: Outcome;
}

/** A site that is as the document says is of no use if its ports carry what nobody recorded: no node can be reserved. */
const checkReservable = async (
  context: CommandContext,
  parsed: ParsedArguments,
  corral: Corral,
  { file, desired, plan, outcome }: Applied,
): Promise<void> => {
  const { output } = context;
  const obstacles = await obstaclesIn(corral, desired);
  const causes = await causesOf(context, corral, desired, obstacles);
  const { ports, faults } = causes;
  const isWanted = parsed.flag('revert') && !parsed.flag('dry-run') && ports.length > 0;
  if (!isWanted) {
    tellObstacles(context, file, obstacles, parsed.flag('revert') ? { ports: [], faults } : causes);
    if (output.isJson) output.json(report(plan, outcome, obstacles));
    return;
  }
  const reverted = await revertPorts(context, parsed, corral, ports);
  if (reverted === null) throw new UsageError('no port was changed');
  tellReverted(context, reverted);
  const left = await obstaclesIn(corral, desired);
  tellObstacles(context, file, left, { ports: [], faults });
  if (output.isJson) output.json(report(plan, outcome, left, reverted));
  else if (left.length === 0) reportDone(output, `every free node in ${file} can be reserved`);
  const failed = reverted.filter(({ error }) => error !== null).length;
  if (failed > 0)
    throw new StoppedError(`${counted(failed)} of ${counted(ports.length)} ports could not be reverted`, {
      code: exitCodes.refused,
      hint: `run corral apply ${file} --revert again to continue`,
    });
};

/** What may change under a plan: secrets are known, and the service can be compared once more. */
interface Comparison {
  readonly secretOf: (secret: Secret) => string;
  readonly again: () => Promise<SitePlan>;
}

const mostComparisons = 3;

/**
 * Takes the steps of a plan. A refusal may only mean that somebody was quicker: a run that was killed a moment ago, or
 * another administrator. Then what is left of the plan is still to be done, and no more than that.
 */
const applied = async (
  { output, signal }: CommandContext,
  corral: Corral,
  { stages }: SitePlan,
  { secretOf, again }: Comparison,
): Promise<Outcome> => {
  const planned = new Set(stages.flat().map(({ what }) => what));
  const bar = output.bar(planned.size);
  try {
    let made = 0;
    let rest: Pick<SitePlan, 'stages'> = { stages };
    for (let tries = 1; ; tries += 1) {
      const before = made;
      const outcome = await apply(corral, rest, secretOf, signal, (count, { what }) =>
        bar.update(before + count, what),
      );
      made += outcome.done;
      const { stopped } = outcome;
      const isConflict = stopped?.error instanceof CorralError && stopped.error.status === 409;
      if (!stopped || !isConflict || tries === mostComparisons) return { ...outcome, done: made };
      const plan = await again();
      const left = plan.stages.flat();
      // What was not in the plan that somebody agreed to is for another run.
      const isNew = left.some(({ what }) => !planned.has(what) || what === stopped.step.what);
      if (isNew || plan.mistakes.length > 0) return { ...outcome, done: made };
      made = planned.size - left.length;
      rest = plan;
    }
  } finally {
    bar.stop();
  }
};

/** What a list in the document leaves out is still there: that must not be taken for done. */
const tellExtras = ({ output }: CommandContext, { extras }: SitePlan): void => {
  if (extras.length > 0)
    output.note(`objects that are not in the document (?) were left unchanged: ${counted(extras.length)}`);
};

const textOf = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(unreadable(file, error));
  }
};

const compared = async (
  { output, signal, env }: CommandContext,
  corral: Corral,
  file: string,
  desired: DesiredState,
): Promise<{ readonly draft: SitePlan; readonly secretOf: (secret: Secret) => string }> => {
  const progress = output.progress('reading');
  try {
    const switches = desired.switches ? await readSwitchTypes(corral, signal) : noSwitchTypes;
    const types = desired.nodes ? await readBmcTypes(corral, signal) : noBmcTypes;
    const state = await readServiceState(corral, partsOf(desired), signal, (text) => progress.update(text));
    const owners = [...(desired.nodes ?? [])].flatMap(([node, { bmc }]) =>
      bmc && state.nodes.has(node) ? [node] : [],
    );
    progress.update('reading BMCs');
    const bmcs = { types, now: await readBmcs(corral, owners, signal) };
    const plan = planFor(desired, state, await readPorts(corral, desired, state, signal), { switches, bmcs });
    return { draft: plan, secretOf: await readSecrets(plan, file, env) };
  } finally {
    progress.stop();
  }
};

/** All mistakes at once, each with its place, in the order of the lines. */
const requireNone = (file: string, mistakes: readonly Mistake[]): void => {
  if (mistakes.length === 0) return;
  const sorted = [...mistakes].sort(
    (a, b) => a.position.line - b.position.line || a.position.column - b.position.column,
  );
  const lines = [...new Set(sorted.map(({ position, text }) => `${file}:${position.line}:${position.column} ${text}`))];
  throw new UsageError(
    `${counted(lines.length)} ${lines.length === 1 ? 'error' : 'errors'}; nothing was changed\n${lines.join('\n')}`,
  );
};

/** For programs: what differs, and how far it got. */
const report = (
  plan: SitePlan,
  { done: made, left, stopped }: Outcome,
  obstacles: readonly Obstacle[] = [],
  reverted: readonly Reverted[] = [],
): object => ({
  plan: itemsOf(plan),
  done: made,
  left: left.map(({ what }) => what),
  error: stopped ? { what: stopped.step.what, message: failureOf(stopped.error).message } : null,
  not_reservable: obstacles,
  reverted,
});

/** Ends the command where the plan did not come to its end, with what was done and what was not. */
const requireWhole = (
  { output, signal }: CommandContext,
  file: string,
  { done: made, left, stopped }: Outcome,
  total: number,
): void => {
  if (left.length === 0) return;
  const far = `${counted(made)} of ${counted(total)} calls were made, ${counted(left.length)} were not`;
  const again = `run corral apply ${file} again to continue`;
  if (!stopped) {
    output.note(`${far}; ${again}`);
    signal.throwIfAborted();
    return;
  }
  const { step, error } = stopped;
  const { code, message, hint } = failureOf(error);
  const { line, column } = step.ref.position;
  throw new StoppedError(`${file}:${line}:${column} ${step.what}: ${message}`, {
    code,
    hint: [far, ...(hint === null ? [] : [hint]), `when that is fixed, ${again}`].join('\n'),
  });
};
