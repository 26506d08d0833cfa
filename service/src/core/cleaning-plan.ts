import type { StepKind } from '../db/service-schema.ts';
import { bootParts, type SiteStep } from '../schema/cleaning-steps.ts';
import type { CleaningRules } from './dependencies.ts';

export interface PlannedStep {
  readonly name: string;
  readonly kind: StepKind;
}

/**
 * The steps of a cleaning, in order. Ports are read before anything of the site runs, so that what cleans a node does
 * not do it on a network of its last project; and once more after that, because it may take hours.
 */
export const planSteps = ({ steps, checkWiring }: CleaningRules, inPool: boolean): readonly PlannedStep[] => [
  { name: 'power', kind: 'power' },
  // What a boot that was broken off by a quarantine left.
  ...(steps.some(({ kind }) => kind === 'boot') ? [{ name: 'networks', kind: 'detach' } as const] : []),
  { name: 'ports', kind: 'ports' },
  { name: 'bootdev', kind: 'bootdev' },
  { name: 'bmc', kind: 'bmc' },
  ...steps.flatMap((step) => stepsOf(step, checkWiring)),
  ...(steps.length === 0 ? [] : [{ name: 'ports-again', kind: 'ports' } as const]),
  ...(inPool ? [{ name: 'maintenance', kind: 'maintenance' } as const] : []),
];

/** A boot is steps of its own, so that each can be done twice, and what is left of it when a process dies is known. */
const stepsOf = ({ name, kind }: SiteStep, checkWiring: boolean): readonly PlannedStep[] =>
  kind === 'boot'
    ? [
        { name: `${name}-${bootParts.attach}`, kind: 'attach' },
        { name, kind },
        // While the node is on: one that is off is seen nowhere.
        ...(checkWiring ? [{ name: `${name}-${bootParts.wiring}`, kind: 'wiring' } as const] : []),
        { name: `${name}-${bootParts.off}`, kind: 'power' },
        { name: `${name}-${bootParts.detach}`, kind: 'detach' },
        { name: `${name}-${bootParts.bootdev}`, kind: 'bootdev' },
      ]
    : [{ name, kind }];

/** Is it one that nobody may skip? What a port carries is not a matter of opinion. */
export const isFixed = (kind: StepKind): boolean => kind === 'ports' || kind === 'detach' || kind === 'maintenance';

/** After one of these has failed, the steps that undo it are done before the node is quarantined. */
export const isUndone = (kind: StepKind): boolean => kind === 'attach' || kind === 'boot' || kind === 'wiring';

/** The steps that undo: off, off the network, the boot device as it was. */
export const undoing = ['power', 'detach', 'bootdev'] as const satisfies readonly StepKind[];
