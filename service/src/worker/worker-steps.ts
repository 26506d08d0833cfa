/**
 * The moments between which a worker can die: each is reached after what it names has happened. A test kills
 * a worker at every one of them; whatever it leaves behind has to be recovered by the next.
 */
export const steps = [
  'leased',
  'planned',
  'session opened',
  'marked as touched',
  'ports changed',
  'ports read back',
  'decided',
  'settled',
  'ports checked',
  'check recorded',
  'switch swept',
  'sweep recorded',
  'configuration saved',
  'save recorded',
] as const;

export type Step = (typeof steps)[number];
