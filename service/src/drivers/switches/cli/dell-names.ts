import { portNamer } from './port-names.ts';

/** Ports of Dell's older switches, in the short names that existing clients use. */
export const dellPortName = portNamer({ gi: 'gi', te: 'te' }, 'gi1/0/5');
