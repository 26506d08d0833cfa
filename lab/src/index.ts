export type { LabFault } from './faults.ts';
export type { LabMachine } from './machine.ts';
export { type LabCall, type LabObmd, type LabObmdOptions, startLabObmd } from './obmd.ts';
export { hasPart, missingParts, type Part } from './parts.ts';
export type { LabPort, LabSwitch, LineFault } from './switches/lab-switch.ts';
