import { programOf } from '../../../../test/support/built-program.ts';

export type { Program } from '../../../../test/support/built-program.ts';
export const { startProgram, runToEnd } = programOf('corral-service');
