import { hostOf } from '@corral/base/libvirt/uri';
import { addressesOf } from '@corral/base/net/addresses';

/** Where a BMC is reached on the network, after its name is resolved; `part`: which machine of several. */
export const placesAt = async (host: string, port: number, part?: string): Promise<readonly string[]> =>
  (await addressesOf(host)).map((address) => `${address} port ${port}${part === undefined ? '' : `, ${part}`}`);

/** Which machine of which libvirt: by whatever transport, as whichever user. */
export const placesOfDomain = async (uri: string, domain: string): Promise<readonly string[]> => {
  const [, path = '', question = ''] = /^[^/]+:\/\/[^/?]*(\/[^?]*)?(\?.*)?$/.exec(uri) ?? [];
  const socket = new URLSearchParams(question).get('socket');
  const hosts = await addressesOf(hostOf(uri) ?? '127.0.0.1');
  return hosts.map((host) => `libvirt ${host}${socket ?? path}, domain ${domain}`);
};
