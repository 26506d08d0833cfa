import type { StepKind } from '../db/service-schema.ts';
import type { CleaningRules } from './dependencies.ts';

/** A step that a site adds: its own name for it, and what is done. */
export type SiteStep =
  | { readonly kind: 'webhook'; readonly name: string; readonly url: string }
  /** A program and its arguments; no shell reads them. */
  | { readonly kind: 'command'; readonly name: string; readonly program: string; readonly args: readonly string[] };

export interface PlannedStep {
  readonly name: string;
  readonly kind: StepKind;
}

/** What the steps of the service itself are called; a site's own have other names. */
export const ownSteps = ['power', 'ports', 'bootdev', 'bmc', 'ports-again', 'maintenance'] as const;

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
