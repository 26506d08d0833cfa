/** Does the state of a switch need somebody? One that was not read yet is about to be. */
export const isTrouble = (state: string): boolean => state === 'unreachable' || state === 'duplicate';
