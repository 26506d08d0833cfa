import { BlockList, isIP, SocketAddress } from 'node:net';

type Family = 'ipv4' | 'ipv6';

/** An address in its one spelling. */
export interface Address {
  readonly text: string;
  readonly family: Family;
}

/** An address and how many of its bits count. */
export interface Network extends Address {
  readonly prefix: number;
}

/** Reads an address, also one in brackets or with a zone; IPv4 in the clothes of IPv6 is what it is. Null: a name. */
export const addressIn = (text: string): Address | null => {
  const unwrapped = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  // Not by a pattern: every `%` of a long text would be a beginning to try.
  const [bare = ''] = unwrapped.split('%', 1);
  const version = isIP(bare);
  if (version === 0) return null;
  if (version === 4) return { text: bare, family: 'ipv4' };
  const spelt = new SocketAddress({ address: bare, family: 'ipv6' }).address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(spelt)?.[1];
  return mapped === undefined ? { text: spelt, family: 'ipv6' } : { text: mapped, family: 'ipv4' };
};

/** Reads an address or `ADDRESS/PREFIX`; null if it is neither. */
export const networkIn = (text: string): Network | null => {
  const [, written = '', digits] = /^([\d.]+|[\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const address = addressIn(written);
  if (address === null) return null;
  // Nobody could tell how many bits are meant of an IPv4 address that is written as IPv6.
  if (isIP(written) !== (address.family === 'ipv4' ? 4 : 6)) return null;
  const longest = address.family === 'ipv4' ? 32 : 128;
  const prefix = Number(digits ?? longest);
  return prefix > longest ? null : { ...address, prefix };
};

/** Networks of both families. Two lists, because one alone takes `::/0` for all of IPv4 too. */
export class Networks {
  readonly #lists: Readonly<Record<Family, BlockList>> = { ipv4: new BlockList(), ipv6: new BlockList() };

  constructor(networks: readonly Network[]) {
    for (const { text, prefix, family } of networks) this.#lists[family].addSubnet(text, prefix, family);
  }

  has({ text, family }: Address): boolean {
    return this.#lists[family].check(text, family);
  }
}
