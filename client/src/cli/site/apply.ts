import type { Corral } from '../../index.ts';
import type { Draft, Step } from './draft.ts';
import { inLanes } from './lanes.ts';
import type { Secret } from './wanted.ts';

/** How far a plan got. */
export interface Outcome {
  readonly done: number;
  readonly left: readonly Step[];
  /** The step that was refused, and why; null: none was. */
  readonly stopped: { readonly step: Step; readonly error: unknown } | null;
}

/** Takes the steps of a plan, stage by stage. The first that fails is the last that is begun. */
export const apply = async (
  corral: Corral,
  { stages }: Pick<Draft, 'stages'>,
  secretOf: (secret: Secret) => string,
  signal: AbortSignal,
  progress: (done: number, step: Step) => void,
): Promise<Outcome> => {
  const done = new Set<Step>();
  const refused: NonNullable<Outcome['stopped']>[] = [];
  try {
    for (const stage of stages) {
      await inLanes(stage, signal, async (step) => {
        try {
          await step.call(corral, secretOf);
        } catch (error) {
          refused.push({ step, error });
          throw error;
        }
        done.add(step);
        progress(done.size, step);
      });
    }
  } catch (error) {
    if (refused.length === 0 && !signal.aborted) throw error;
  }
  return { done: done.size, left: stages.flat().filter((step) => !done.has(step)), stopped: refused[0] ?? null };
};
