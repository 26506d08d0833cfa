/** The moments between which a process can die that cleans a node: a test kills it at each of them. */
export const cleaningMoments = [
  'cleaning leased',
  'cleaning step begun',
  'cleaning token made',
  'cleaning sweeps requested',
  'cleaning webhook sent',
  'cleaning step tried',
  'cleaning step settled',
  'cleaning over',
] as const;

/** The same for one that boots a node. */
export const bootMoments = ['cleaning change queued', 'cleaning node turned on'] as const;

export type CleaningMoment = (typeof cleaningMoments)[number] | (typeof bootMoments)[number];
