import { SocketAddress } from 'node:net';

/** The eight groups of an IPv6 address. */
const groupsOf = (text: string): readonly number[] => {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(new SocketAddress({ address: text, family: 'ipv6' }).address);
  const spelt = dotted
    ? `${dotted[1] ?? ''}${hex(Number(dotted[2]), Number(dotted[3]))}:${hex(Number(dotted[4]), Number(dotted[5]))}`
    : new SocketAddress({ address: text, family: 'ipv6' }).address;
  const [head = '', tail] = spelt.split('::');
  const parts = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
  const first = parts(head);
  const last = parts(tail ?? '');
  const missing = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array.from({ length: missing }, () => 0), ...last];
};

const hex = (high: number, low: number): string => (high * 256 + low).toString(16);

const dottedOf = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');

/**
 * The IPv4 addresses to which a packet for this IPv6 address may be carried: by the system (mapped, compatible), or by
 * a gateway on the way (6to4, NAT64, ISATAP, Teredo).
 */
export const embeddedIpv4 = (text: string): readonly string[] => {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groupsOf(text);
  const found: string[] = [];
  // ::ffff:0:0/96, ::/96 and the old ::ffff:0:0:0/96.
  if (a + b + c + d === 0 && (e === 0 || (e === 0xffff && f === 0)) && (f === 0 || f === 0xffff)) {
    // Neither the unspecified address nor this machine's own is one of IPv4.
    if (f !== 0 || g !== 0 || h > 1) found.push(dottedOf(g, h));
  }
  if (a === 0x2002) found.push(dottedOf(b, c));
  // The well-known prefix, and the one for local use, in which the address may stand in four places (RFC 6052).
  if (a === 0x64 && b === 0xff9b) {
    found.push(dottedOf(g, h));
    if (c === 1) {
      found.push(dottedOf(d, ((e & 255) << 8) | (f >> 8)));
      found.push(dottedOf(((d & 255) << 8) | (e & 255), f));
      found.push(dottedOf(((e & 255) << 8) | (f >> 8), ((f & 255) << 8) | (g >> 8)));
    }
  }
  if ((e === 0 || e === 0x200) && f === 0x5efe) found.push(dottedOf(g, h));
  // Teredo: the server, and the client with all bits turned.
  if (a === 0x2001 && b === 0) found.push(dottedOf(c, d), dottedOf(g ^ 0xffff, h ^ 0xffff));
  return found;
};
