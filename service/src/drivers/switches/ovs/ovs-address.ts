import { connect as connectPlain, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import type { Outbound } from '@corral/base/http/outbound';
import { connectTcp } from '@corral/base/net/connect-tcp';
import { portPattern } from '../switch-addresses.ts';

/** Where the database of an Open vSwitch listens. */
export type Address =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp' | 'ssl'; readonly host: string; readonly port: number };

/** What a TLS line is made with: PEM texts, and the name that the switch's certificate must carry. */
export interface TlsCredentials {
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly privateKey: string | undefined;
  /** The host of the address if there is none. */
  readonly serverName: string | undefined;
}

/** `unix:PATH`, `tcp:HOST:PORT` or `ssl:HOST:PORT`; an IPv6 address stands in brackets. */
export const addressPattern = `^(unix:/[^\\u0000-\\u001f]{1,106}|(tcp|ssl):([^\\s:/\\[\\]]+|\\[[0-9A-Fa-f:.]+\\]):${portPattern})$`;

export const parseAddress = (text: string): Address => {
  const [, path] = /^unix:(\/.*)$/.exec(text) ?? [];
  if (path !== undefined) return { kind: 'unix', path };
  const [, kind, host, port] = /^(tcp|ssl):\[?(.+?)\]?:([0-9]+)$/.exec(text) ?? [];
  if (kind === undefined || host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new Error(`${text} is not the address of a database: use unix:PATH, tcp:HOST:PORT or ssl:HOST:PORT`);
  }
  return { kind: kind === 'ssl' ? 'ssl' : 'tcp', host, port: Number(port) };
};

/** A line that is being connected; `ready` is the event that says it can be used. */
export interface PendingConnection {
  readonly socket: Socket;
  /** What is beneath a TLS line, which cannot be reset itself. */
  readonly beneath: Socket;
  readonly ready: 'connect' | 'secureConnect';
}

/** What is behind a path is on this machine, and its permissions say who may connect: only hosts are judged. */
export const openConnection = (
  address: Address,
  credentials: TlsCredentials,
  outbound: Outbound | null,
): PendingConnection => {
  const beneath =
    address.kind === 'unix'
      ? connectPlain(address.path)
      : connectTcp({ host: address.host, port: address.port }, outbound);
  if (address.kind !== 'ssl') return { socket: beneath, beneath, ready: 'connect' };
  const { host } = address;
  const { ca, certificate: cert, privateKey: key, serverName } = credentials;
  const socket = connectTls({
    socket: beneath,
    host,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    // ovs-pki makes certificates for names that are no host names, such as `sw1 id:0c2f`.
    checkServerIdentity: (_host, shown) =>
      serverName !== undefined && shown.subject.CN === serverName
        ? undefined
        : checkServerIdentity(serverName ?? host, shown),
  });
  beneath.on('error', (error) => socket.destroy(error));
  return { socket, beneath, ready: 'secureConnect' };
};
