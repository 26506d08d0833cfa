import type { IncomingHttpHeaders } from 'node:http';
import { addressIn, type Networks } from './ip-address.ts';

/** More proxies than anybody has in a row. */
const mostHops = 32;
const hostPattern = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Is this the address of a proxy whose word counts? */
export const trustIn =
  (proxies: Networks) =>
  (text: string): boolean => {
    const address = addressIn(text);
    return address !== null && proxies.has(address);
  };

/** What proxies add to a request. */
const marks = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'] as const;

/** Does a request say that it came through a proxy? To be asked before its headers are tidied. */
export const isForwarded = (headers: IncomingHttpHeaders): boolean => marks.some((name) => headers[name] !== undefined);

/**
 * Leaves of what a trusted proxy says about a request only what makes sense. Proxies add to the end of the list of
 * addresses, so it is read from there; whatever cannot be read, and all before it, may be anybody's invention.
 */
export const tidyForwarded = (headers: IncomingHttpHeaders): void => {
  tidy(headers, 'x-forwarded-for', (text) => {
    const hops = text.split(',').slice(-mostHops).map(hopIn);
    return hops.slice(hops.lastIndexOf(null) + 1).join(', ');
  });
  tidy(headers, 'x-forwarded-proto', (text) => {
    const scheme = lastOf(text).toLowerCase();
    return scheme === 'https' || scheme === 'http' ? scheme : '';
  });
  tidy(headers, 'x-forwarded-host', (text) => (hostPattern.test(lastOf(text)) ? lastOf(text) : ''));
};

const tidy = (headers: IncomingHttpHeaders, name: string, read: (text: string) => string): void => {
  const given = headers[name];
  if (given === undefined) return;
  const text = read(String(given));
  headers[name] = text === '' ? undefined : text;
};

const lastOf = (text: string): string => text.slice(text.lastIndexOf(',') + 1).trim();

/** One address of the list; some proxies write the port behind it. */
const hopIn = (text: string): string | null => {
  const hop = text.trim().replace(/^((?:\d+\.){3}\d+|\[[^\]]*\]):\d{1,5}$/, '$1');
  return addressIn(hop)?.text ?? null;
};
