import { portNamer } from './cli-port-names.ts';

/** Ports of Dell's older switches, in the short names that existing clients use. */
export const dellPortName = portNamer({ gi: 'gi', te: 'te' }, 'gi1/0/5', [2, 3]);

/** A switch without slots may count without them: `gi1/12` is `gi1/0/12`. */
export const dellWire = (port: string): string => port.replace(/^(\D+\d+)\/0\/(\d+)$/, '$1/$2');
