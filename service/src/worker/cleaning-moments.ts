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

export type CleaningMoment = (typeof cleaningMoments)[number];
