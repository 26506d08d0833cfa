import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressIn } from '../http/ip-address.ts';

/** A resolver that does not answer holds up nobody for longer. */
const timeoutMs = 2_000;

/** Other names of this machine's own address, as far as sockets are concerned. */
const ownAddresses: readonly string[] = ['::1', '::', '0.0.0.0'];

const oneSpelling = (text: string): string => (ownAddresses.includes(text) ? '127.0.0.1' : text);

/**
 * The addresses that a host has now, each in its one spelling: two hosts with an address in common are the same. A name
 * that nobody resolves stays a name.
 */
export const resolveHost = async (host: string): Promise<readonly string[]> => {
  const written = canonical(host);
  const address = addressIn(written);
  if (address !== null) return [oneSpelling(address.text)];
  const timer = new AbortController();
  const found = await Promise.race([
    lookup(written, { all: true }).catch(() => []),
    sleep(timeoutMs, [], { signal: timer.signal, ref: false }).catch(() => []),
  ]);
  timer.abort();
  const addresses = found.flatMap((one) => addressIn(one.address)?.text ?? []).map(oneSpelling);
  return addresses.length === 0 ? [written] : [...new Set(addresses)].sort();
};

/** Lower case, no dot at the end, and addresses such as `127.1` or `0x7f000001` as the system takes them. */
const canonical = (host: string): string => {
  const bare = host.trim().toLowerCase().replace(/\.$/, '');
  if (addressIn(bare) !== null || !/^[\da-fx.]+$/.test(bare)) return bare;
  try {
    return new URL(`http://${bare}/`).hostname;
  } catch {
    return bare;
  }
};
