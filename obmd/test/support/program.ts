import { programOf } from '../../../test/support/program.ts';

export type { Program } from '../../../test/support/program.ts';
export const { startProgram, runToEnd } = programOf('corral-obmd');
