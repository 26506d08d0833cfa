import type { StepKind } from '../db/service-schema.ts';
import type { CleaningRules } from './dependencies.ts';

export interface PlannedStep {
  readonly name: string;
  readonly kind: StepKind;
}

/**
 * The steps of a cleaning, in order. Ports are read before anything of the site runs, so that what cleans a node does
 * not do it on a network of its last project; and once more after that, because it may take hours.
 */
export const planSteps = ({ steps }: CleaningRules, inPool: boolean): readonly PlannedStep[] => [
  { name: 'power', kind: 'power' },
  { name: 'ports', kind: 'ports' },
  { name: 'bootdev', kind: 'bootdev' },
  { name: 'bmc', kind: 'bmc' },
  ...steps.map(({ name, kind }) => ({ name, kind })),
  ...(steps.length === 0 ? [] : [{ name: 'ports-again', kind: 'ports' } as const]),
  ...(inPool ? [{ name: 'maintenance', kind: 'maintenance' } as const] : []),
];

/** Is it one that nobody may skip? What a port carries is not a matter of opinion. */
export const isFixed = (kind: StepKind): boolean => kind === 'ports' || kind === 'maintenance';
