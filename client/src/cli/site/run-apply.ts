import { readFile } from 'node:fs/promises';
import { type Corral, CorralError } from '../../index.ts';
import type { Given, Scene } from '../command.ts';
import { failureOf } from '../exit.ts';
import { StoppedError, UsageError } from '../mistake.ts';
import { confirm } from '../prompt.ts';
import { counted } from '../counted.ts';
import { done } from '../say.ts';
import { unreadable } from '../unreadable.ts';
import { readActual } from './actual.ts';
import { apply, type Outcome } from './apply.ts';
import { readDocument } from './document.ts';
import type { Draft } from './draft.ts';
import { partsOf, planFor } from './plan.ts';
import { readPorts } from './ports.ts';
import type { Mistake } from './reader.ts';
import { readSecrets } from './secrets.ts';
import { itemsOf, showPlan } from './show.ts';
import { readSwitchTypes } from './switch-types.ts';
import type { Secret, Wanted } from './wanted.ts';

/** `corral apply`: reads, compares, shows, asks, and then makes one call after the other. */
export const runApply = async (scene: Scene, given: Given): Promise<void> => {
  const { output } = scene;
  const file = given.arg('file');
  const { wanted, mistakes, isReadable } = readDocument(await textOf(file));
  if (!isReadable) requireNone(file, mistakes);
  const corral = await scene.corral({ onInterrupt: 'finish' });
  const { draft, secretOf } = await compared(scene, corral, file, wanted).catch((error: unknown) => {
    requireNone(file, mistakes);
    throw error;
  });
  requireNone(file, [...mistakes, ...draft.mistakes]);

  const total = draft.stages.flat().length;
  if (total === 0) {
    if (output.isJson) output.json(report(draft, { done: 0, left: [], stopped: null }));
    else {
      showPlan(output, draft, given.flag('all'));
      done(output, `nothing to do: ${corral.endpoint} already matches ${file}`);
      tellExtras(scene, draft);
    }
    return;
  }
  showPlan(output, draft, given.flag('all'));
  if (given.flag('dry-run')) {
    if (output.isJson) output.json(report(draft, { done: 0, left: draft.stages.flat(), stopped: null }));
    return;
  }
  if (
    !given.flag('yes') &&
    !(await confirm(scene.person, `make these ${counted(total)} calls to ${corral.endpoint}?`, '--yes'))
  ) {
    throw new UsageError('nothing was changed');
  }

  const outcome = await applied(scene, corral, draft, {
    secretOf,
    again: async () => (await compared(scene, corral, file, wanted)).draft,
  });
  if (output.isJson) output.json(report(draft, outcome));
  requireWhole(scene, file, outcome, total);
  if (!output.isJson) done(output, `${corral.endpoint} now matches ${file}: ${counted(total)} calls made`);
  tellExtras(scene, draft);
};

/** What may change under a plan: secrets are known, and the service can be compared once more. */
interface Comparison {
  readonly secretOf: (secret: Secret) => string;
  readonly again: () => Promise<Draft>;
}

const mostComparisons = 3;

/**
 * Takes the steps of a plan. A refusal may only mean that somebody was quicker: a run that was killed a moment ago, or
 * another administrator. Then what is left of the plan is still to be done, and no more than that.
 */
const applied = async (
  { output, signal }: Scene,
  corral: Corral,
  { stages }: Draft,
  { secretOf, again }: Comparison,
): Promise<Outcome> => {
  const planned = new Set(stages.flat().map(({ what }) => what));
  const bar = output.bar(planned.size);
  try {
    let made = 0;
    let rest: Pick<Draft, 'stages'> = { stages };
    for (let tries = 1; ; tries += 1) {
      const before = made;
      const outcome = await apply(corral, rest, secretOf, signal, (count, { what }) =>
        bar.update(before + count, what),
      );
      made += outcome.done;
      const { stopped } = outcome;
      const isConflict = stopped?.error instanceof CorralError && stopped.error.status === 409;
      if (!stopped || !isConflict || tries === mostComparisons) return { ...outcome, done: made };
      const draft = await again();
      const left = draft.stages.flat();
      // What was not in the plan that somebody agreed to is for another run.
      const isNew = left.some(({ what }) => !planned.has(what) || what === stopped.step.what);
      if (isNew || draft.mistakes.length > 0) return { ...outcome, done: made };
      made = planned.size - left.length;
      rest = draft;
    }
  } finally {
    bar.stop();
  }
};

/** What a list in the document leaves out is still there: that must not be taken for done. */
const tellExtras = ({ output }: Scene, { extras }: Draft): void => {
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
  { output, signal, env }: Scene,
  corral: Corral,
  file: string,
  wanted: Wanted,
): Promise<{ readonly draft: Draft; readonly secretOf: (secret: Secret) => string }> => {
  const progress = output.progress('reading');
  try {
    const types = wanted.switches ? await readSwitchTypes(corral, signal) : new Map<string, never>();
    const actual = await readActual(corral, partsOf(wanted), signal, (text) => progress.update(text));
    const draft = planFor(wanted, actual, await readPorts(corral, wanted, actual, signal), types);
    return { draft, secretOf: await readSecrets(draft, file, env) };
  } finally {
    progress.stop();
  }
};

/** All mistakes at once, each with its place, in the order of the lines. */
const requireNone = (file: string, mistakes: readonly Mistake[]): void => {
  if (mistakes.length === 0) return;
  const sorted = [...mistakes].sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  const lines = [...new Set(sorted.map(({ place, text }) => `${file}:${place.line}:${place.column} ${text}`))];
  throw new UsageError(
    `${counted(lines.length)} ${lines.length === 1 ? 'error' : 'errors'}; nothing was changed\n${lines.join('\n')}`,
  );
};

/** For programs: what differs, and how far it got. */
const report = (draft: Draft, { done: made, left, stopped }: Outcome): object => ({
  plan: itemsOf(draft),
  done: made,
  left: left.map(({ what }) => what),
  error: stopped ? { what: stopped.step.what, message: failureOf(stopped.error).message } : null,
});

/** Ends the command where the plan did not come to its end, with what was done and what was not. */
const requireWhole = (
  { output, signal }: Scene,
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
  const { line, column } = step.told.place;
  throw new StoppedError(`${file}:${line}:${column} ${step.what}: ${message}`, {
    code,
    hint: [far, ...(hint === null ? [] : [hint]), `when that is fixed, ${again}`].join('\n'),
  });
};
