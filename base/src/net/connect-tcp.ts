import { connect, type Socket } from 'node:net';
import type { Outbound } from '../http/outbound.ts';

interface Destination {
  readonly host: string;
  readonly port: number;
}

/**
 * Connects to a host, at an address where connections may go: an address is judged here and throws if it is refused, a
 * name when it has been resolved, which the socket tells as its error. Without `outbound` it connects to wherever it is.
 */
export const connectTcp = ({ host, port }: Destination, outbound: Outbound | null): Socket => {
  const refusal = outbound?.refusalOf(host) ?? null;
  if (refusal !== null) throw refusal;
  return connect({ host, port, noDelay: true, ...(outbound === null ? {} : { lookup: outbound.lookup }) });
};
