import type { Corral } from '../../index.ts';
import type { Mistake } from './yaml-reader.ts';
import type { Secret, SourceRef } from './desired-state.ts';

/** What a step is about; also how the summary is divided. */
export const kinds = ['project', 'user', 'network', 'switch', 'port', 'node', 'bmc', 'nic', 'cable'] as const;
export type Kind = (typeof kinds)[number];

/** In which order things are done: those of one stage in any order, and each stage after the one before. */
const stages = [
  'projects',
  'users',
  'memberships',
  'networks',
  'grants',
  'switches',
  'ports',
  'nodes',
  'bmcs',
  'unplug',
  'forget-nics',
  'nics',
  'plug',
] as const;
export type Stage = (typeof stages)[number];

/** One call that brings the service nearer to the document. */
export interface Step {
  readonly sign: 'create' | 'change';
  readonly kind: Kind;
  readonly what: string;
  /** What in the document wants it. */
  readonly ref: SourceRef;
  readonly secrets: readonly Secret[];
  readonly call: (corral: Corral, secretOf: (secret: Secret) => string) => Promise<unknown>;
}

/** Something that the service has and the document does not. */
export interface Extra {
  readonly kind: Kind;
  readonly what: string;
}

/** What would be done, as it is thought up. */
export class SitePlan {
  readonly mistakes: Mistake[] = [];
  readonly extras: Extra[] = [];
  readonly #steps = new Map<Stage, Step[]>();

  mistake({ position, path }: SourceRef, sentence: string): void {
    this.mistakes.push({ position, text: `${path}: ${sentence}` });
  }

  extra(kind: Kind, what: string): void {
    this.extras.push({ kind, what });
  }

  step(stage: Stage, step: Omit<Step, 'secrets'> & { readonly secrets?: readonly Secret[] }): void {
    const steps = this.#steps.get(stage) ?? [];
    steps.push({ secrets: [], ...step });
    this.#steps.set(stage, steps);
  }

  get stages(): readonly (readonly Step[])[] {
    return stages.map((stage) => this.#steps.get(stage) ?? []);
  }
}
