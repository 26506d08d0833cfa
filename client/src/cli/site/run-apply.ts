import { readFile } from 'node:fs/promises';
import type { Corral } from '../../index.ts';
import type { Given, Scene } from '../command.ts';
import { failureOf } from '../exit.ts';
import { StoppedError, UsageError } from '../mistake.ts';
import { confirm } from '../prompt.ts';
import { counted, done } from '../say.ts';
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
  const { output, signal } = scene;
  const file = given.arg('file');
  const { wanted, mistakes } = readDocument(await textOf(file));
  requireNone(file, mistakes);
  const corral = await scene.corral({ onInterrupt: 'finish' });
  const { draft, secretOf } = await compared(scene, corral, file, wanted);
  requireNone(file, draft.mistakes);

  const total = draft.stages.flat().length;
  if (total === 0) {
    if (output.isJson) output.json(report(draft, { done: 0, left: [], stopped: null }));
    else {
      showPlan(output, draft, given.flag('all'));
      done(output, `nothing to do: the service has what ${file} says`);
    }
    return;
  }
  showPlan(output, draft, given.flag('all'));
  if (given.flag('dry-run')) {
    if (output.isJson) output.json(report(draft, { done: 0, left: draft.stages.flat(), stopped: null }));
    return;
  }
  if (!given.flag('yes') && !(await confirm(scene.person, `make these ${counted(total)} calls?`, '--yes'))) {
    throw new UsageError('nothing was changed');
  }

  const bar = output.bar(total);
  let outcome: Outcome;
  try {
    outcome = await apply(corral, draft, secretOf, signal, (count, step) => bar.update(count, step.what));
  } finally {
    bar.stop();
  }
  if (output.isJson) output.json(report(draft, outcome));
  requireWhole(scene, file, outcome, total);
  if (!output.isJson) done(output, `the service has what ${file} says: ${counted(total)} calls made`);
};

const textOf = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
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
  const lines = [...mistakes]
    .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
    .map(({ place, text }) => `${file}:${place.line}:${place.column} ${text}`);
  throw new UsageError(
    `${counted(lines.length)} ${lines.length === 1 ? 'mistake' : 'mistakes'}; nothing was changed\n${lines.join('\n')}`,
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
  const again = `corral apply ${file} goes on from there`;
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
    hint: [far, ...(hint === null ? [] : [hint]), `when that is mended, ${again}`].join('\n'),
  });
};
