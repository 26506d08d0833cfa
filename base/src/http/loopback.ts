import { isIP } from 'node:net';

/** Is this the address of this machine to itself? */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
