import type { Corral } from '../../index.ts';
import type { SitePlan, Step } from './site-plan.ts';
import { runParallel } from './run-parallel.ts';
import type { Secret } from './desired-state.ts';

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
  { stages }: Pick<SitePlan, 'stages'>,
  secretOf: (secret: Secret) => string,
  signal: AbortSignal,
  progress: (reportDone: number, step: Step) => void,
): Promise<Outcome> => {
  const reportDone = new Set<Step>();
  const refused: NonNullable<Outcome['stopped']>[] = [];
  try {
    for (const stage of stages) {
      await runParallel(stage, signal, async (step) => {
        try {
          await step.call(corral, secretOf);
        } catch (error) {
          refused.push({ step, error });
          throw error;
        }
        reportDone.add(step);
        progress(reportDone.size, step);
      });
    }
  } catch (error) {
    if (refused.length === 0 && !signal.aborted) throw error;
  }
  return {
    done: reportDone.size,
    left: stages.flat().filter((step) => !reportDone.has(step)),
    stopped: refused[0] ?? null,
  };
};
