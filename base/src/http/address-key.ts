import { addressIn } from './ip-address.ts';
import { isLoopback } from './loopback.ts';

/**
 * The key that an address is counted under: itself in IPv4, its /64 in IPv6, where a single customer has all of one.
 * What is no address belongs to one that nobody has.
 */
export const addressKey = (text: string): string => keyOf(text, 64);

/** The same with a /48 in IPv6: a single customer may have one, with a /64 for every attempt. */
export const prefixKey = (text: string): string => keyOf(text, 48);

/** Is this key that of a program on this machine? */
export const isOwnKey = (key: string): boolean => isLoopback(key) || key === '0:0:0:0::/64';

const keyOf = (text: string, bits: 48 | 64): string => {
  // Most are IPv4, and this is on the path of every request.
  if (!text.includes(':')) return text;
  const address = addressIn(text);
  if (address === null) return 'none';
  return address.family === 'ipv4' ? address.text : `${firstGroups(address.text, bits / 16)}::/${bits}`;
};

/** The first groups of 16 bits of an IPv6 address in its one spelling. */
const firstGroups = (text: string, count: number): string => {
  const [head = '', tail] = text.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const known = groups(head);
  const last = groups(tail ?? '');
  const missing = tail === undefined ? 0 : 8 - known.length - last.length;
  return [...known, ...Array.from({ length: missing }, () => '0'), ...last].slice(0, count).join(':');
};
