import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { type Address, addressIn, type Network, networkIn, Networks } from './ip-address.ts';
import { embeddedIpv4 } from './embedded-ipv4.ts';

/** What an entry may be, for error messages. */
export const entryRule =
  'addresses, networks and host names such as 192.168.7.5, 10.0.0.0/8, 2001:db8::/32, bmc.example.org or *.bmc.example.org';

/** Where nothing is that we have business with, and what others would have us connect to for them. */
const dangerousV4 = [
  '0.0.0.0/8', // this machine, by another name
  '169.254.0.0/16', // link-local, and there what a cloud tells its machines: their credentials too
  '100.100.100.200', // the same in clouds that have it elsewhere
  '168.63.129.16',
  '192.0.0.192',
  '224.0.0.0/4', // multicast
  '255.255.255.255', // broadcast
];
const dangerousV6 = [
  '::',
  'fe80::/10', // link-local
  'fd00:ec2::/32', // what clouds tell their machines
  'fd20:ce::254',
  'ff00::/8', // multicast
];

const networksIn = (texts: readonly string[]): readonly Network[] => texts.flatMap((text) => networkIn(text) ?? []);
const reservedV4 = networksIn(dangerousV4);
const reserved = [...reservedV4, ...networksIn(dangerousV6)];
const dangerous = new Networks(reserved);

/** Where a packet for an IPv6 address may end up: gateways carry some of them to an IPv4 address inside. */
const carriedTo = ({ text, family }: Address): readonly Address[] =>
  family === 'ipv4' ? [] : embeddedIpv4(text).map((inner) => ({ text: inner, family: 'ipv4' }));

const isWithin = (network: Network, other: Network): boolean =>
  network.prefix >= other.prefix && new Networks([other]).has(network);

/**
 * Where connections may go. Without entries: everywhere but to the dangerous addresses above. With entries: only to
 * what they name. A host name permits whatever address it has at the moment, but a dangerous one; those are permitted
 * only by a network or address that lies among them. So 0.0.0.0/0 is every IPv4 address but those.
 */
export class AllowList {
  readonly #isOpen: boolean;
  readonly #networks: Networks;
  readonly #exceptions: Networks;
  /** Named addresses of IPv6 behind which a dangerous one of IPv4 is. */
  readonly #tunnels: Networks;
  readonly #hosts: ReadonlySet<string>;
  readonly #suffixes: readonly string[];

  private constructor(networks: readonly Network[], names: readonly string[]) {
    this.#isOpen = networks.length + names.length === 0;
    this.#networks = new Networks(networks);
    this.#exceptions = new Networks(networks.filter((network) => reserved.some((other) => isWithin(network, other))));
    this.#tunnels = new Networks(
      networks.filter((network) => carriedTo(network).some((inner) => dangerous.has(inner)) && network.prefix >= 96),
    );
    this.#hosts = new Set(names.filter((name) => !name.startsWith('*')));
    this.#suffixes = names.filter((name) => name.startsWith('*')).map((name) => name.slice(1));
  }

  /** Reads entries; `wrong` is called for each invalid one. */
  static from(entries: readonly string[], wrong: (entry: string) => void): AllowList {
    const networks: Network[] = [];
    const names: string[] = [];
    for (const entry of entries) {
      const network = networkIn(entry);
      const name = network === null ? nameIn(entry) : null;
      if (network !== null) networks.push(network);
      else if (name !== null) names.push(name);
      else wrong(entry);
    }
    return new AllowList(networks, names);
  }

  /** May a connection that is meant for this host go to this address? */
  permits(host: string, address: string): boolean {
    const at = addressIn(address);
    if (at === null) return false;
    if (dangerous.has(at)) return this.#exceptions.has(at);
    // The same address in the clothes of IPv6 is as dangerous; permitted is only what is named in them.
    if (carriedTo(at).some((inner) => dangerous.has(inner))) return this.#exceptions.has(at) || this.#tunnels.has(at);
    return this.#isOpen || this.#networks.has(at) || this.#names(host.toLowerCase().replace(/\.$/, ''));
  }

  #names(host: string): boolean {
    return this.#hosts.has(host) || this.#suffixes.some((suffix) => host.endsWith(suffix) && host !== suffix);
  }
}

/** `bmc.example.org` or `*.bmc.example.org`, in the spelling that names are asked for in; null if it is neither. */
const nameIn = (entry: string): string | null => {
  const [, star = '', rest = ''] = /^(\*\.)?(.+)$/.exec(entry.toLowerCase().replace(/\.$/, '')) ?? [];
  const name = domainToASCII(rest);
  // What is all numbers is the odd spelling of an address: 10.1 is 10.0.0.1.
  return isIP(name) === 0 && /^[\w-]+(\.[\w-]+)*$/.test(name) ? `${star}${name}` : null;
};
