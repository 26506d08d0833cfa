import { realpath } from 'node:fs/promises';
import { resolveHost } from '@corral/base/net/resolve-host';

/** The places of something behind a host and port; `part` says which, where there are several things behind it. */
export const placesAt = async (host: string, port: number, part = ''): Promise<readonly string[]> =>
  (await resolveHost(host)).map((address) => named(`${address} port ${port}`, part));

/** The place of something behind a socket in the file system, whatever links lead to it. */
export const placeInFiles = async (path: string, part = ''): Promise<readonly string[]> => [
  named(await realpath(path).catch(() => path), part),
];

/** The places of something behind a URL. */
export const placesOfUrl = (url: string, part = ''): Promise<readonly string[]> => {
  const { hostname, port, protocol } = new URL(url);
  return placesAt(hostname, port === '' ? usualPort(protocol) : Number(port), part);
};

const usualPort = (protocol: string): number => (protocol === 'https:' ? 443 : 80);

const named = (place: string, part: string): string => (part === '' ? place : `${place}, ${part}`);

/** A TCP port in an address, for a pattern: 1 to 65535. */
export const portPattern = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';
