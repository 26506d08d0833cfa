export type { LabFault } from './faults.ts';
export type { LabMachine } from './machine.ts';
export { type LabCall, type LabObmd, type LabObmdOptions, startLabObmd } from './obmd.ts';
