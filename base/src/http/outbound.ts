import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { unlessAborted } from '../abort.ts';
import { addressIn } from './ip-address.ts';
import { AllowList } from './allow-list.ts';

/** Finds the addresses of a name, in the order in which they are to be tried. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const bySystem: Resolve = (host) => lookup(host, { all: true });

/** A host is only at addresses where no connection may go. Its message is for the log and for administrators. */
export class AddressRefused extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED';
  readonly host: string;
  readonly addresses: readonly string[];
  /** What to change if it is to be permitted. */
  readonly setting: string;

  constructor(host: string, addresses: readonly string[], setting: string) {
    const isAddress = addresses.length === 1 && addresses[0] === host;
    const what = isAddress
      ? `connections to ${host} are not allowed`
      : `${host} resolves to ${addresses.join(', ')}, and connections there are not allowed`;
    super(`${what}; to allow them, add it to ${setting}`);
    this.name = 'AddressRefused';
    this.host = host;
    this.addresses = addresses;
    this.setting = setting;
  }
}

interface OutboundOptions {
  readonly allow?: AllowList;
  /** The setting that the list is from. */
  readonly setting: string;
  readonly resolve?: Resolve;
}

/**
 * Where this program may connect to. A name is resolved once for a connection, and the connection goes to the very
 * address that was judged: a name that changes in between (DNS rebinding) changes nothing.
 */
export class Outbound {
  readonly #allow: AllowList;
  readonly #setting: string;
  readonly #resolve: Resolve;

  constructor({ allow = AllowList.from([], () => undefined), setting, resolve = bySystem }: OutboundOptions) {
    this.#allow = allow;
    this.#setting = setting;
    this.#resolve = resolve;
  }

  /** Why a host that is an address can never be connected to; null if it may be, or is a name. */
  refusalOf(host: string): AddressRefused | null {
    const address = addressIn(host);
    if (address === null || this.#allow.permits(host, host)) return null;
    return new AddressRefused(address.text, [address.text], this.#setting);
  }

  /** The addresses of a host now, of them those where a connection may go; throws if there are none. */
  async addressesOf(host: string, signal?: AbortSignal): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
    const literal = addressIn(host);
    // A resolver cannot be stopped; it need not be waited for.
    const found =
      literal === null
        ? await (signal === undefined ? this.#resolve(host) : unlessAborted(this.#resolve(host), signal))
        : [{ address: host.replace(/^\[(.*)\]$/, '$1'), family: literal.family === 'ipv4' ? 4 : 6 }];
    const [first, ...others] = found.filter(({ address }) => this.#allow.permits(host, address));
    if (first !== undefined) return [first, ...others];
    const refused = found.map(({ address }) => addressIn(address)?.text ?? address);
    throw new AddressRefused(literal?.text ?? host, refused, this.#setting);
  }

  /** For sockets. For an address there is no lookup: the caller checks `refusalOf` before it connects. */
  readonly lookup: LookupFunction = (host, { all }, callback) => {
    this.addressesOf(host).then(
      ([first, ...others]) => {
        if (all === true) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    );
  };
}
