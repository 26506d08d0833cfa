import { hostOf } from '@corral/base/libvirt/libvirt-uri';
import { resolveHost } from '@corral/base/net/resolve-host';

/** How a BMC is reached on the network. */
interface Reached {
  readonly host: string;
  readonly port: number;
  /** The port that its protocol has by convention. */
  readonly usualPort: number;
  /** Which machine of several. */
  readonly part?: string | undefined;
}

/**
 * Where a BMC is reached, after its name is resolved. With the usual port of its protocol it is the BMC of that address,
 * by whichever protocol; behind other ports (a forwarder, a simulator) there can be another at each.
 */
export const addressesAt = async ({ host, port, usualPort, part }: Reached): Promise<readonly string[]> => {
  const of = (place: string): string => (part === undefined ? place : `${place}, ${part}`);
  const addresses = await resolveHost(host);
  return addresses.map((address) => of(port === usualPort ? `the BMC of ${address}` : `${address} port ${port}`));
};

/** Which machine of which libvirt: by whatever transport, as whichever user. */
export const addressesOfDomain = async (uri: string, domain: string): Promise<readonly string[]> => {
  const [, path = '', question = ''] = /^[^/]+:\/\/[^/?]*(\/[^?]*)?(\?.*)?$/.exec(uri) ?? [];
  const socket = new URLSearchParams(question).get('socket');
  const hosts = await resolveHost(hostOf(uri) ?? '127.0.0.1');
  return hosts.map((host) => `libvirt ${host}${socket ?? path}, domain ${domain}`);
};
