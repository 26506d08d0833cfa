import { isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import { resetSocket } from '../net/reset-socket.ts';
import { connectTcp } from '../net/connect-tcp.ts';
import type { Outbound } from './outbound.ts';

/** Whose certificate is good. Neither: those that Node.js trusts. */
export interface Trust {
  /** PEM. */
  readonly ca?: string | undefined;
  /** SHA-256 in lower-case hexadecimal digits; the only certificate that counts then. */
  readonly fingerprint?: string | undefined;
}

/** The certificate is not the one that was pinned. */
export class OtherCertificate extends Error {
  constructor(shown: string) {
    super(`the certificate has fingerprint ${shown}, which is not the registered one`);
    this.name = 'OtherCertificate';
  }
}

/**
 * Makes connections to one device, and can be stopped: otherwise an attempt that nobody answers would
 * outlive the signal by many seconds, and what a connection still had to send by minutes. The certificate is checked
 * before a byte of ours is sent.
 */
export class Connector {
  readonly #trust: Trust;
  readonly #outbound: Outbound | null;
  readonly #check: () => void;
  readonly #trying = new Set<Socket>();
  /** The TCP sockets of all connections. */
  readonly #sockets = new Set<Socket>();

  /** Without `outbound` it connects to wherever the device is. `check` throws where nothing may be sent any more. */
  constructor(trust: Trust, outbound: Outbound | null = null, check: () => void = () => undefined) {
    this.#trust = trust;
    this.#outbound = outbound;
    this.#check = check;
  }

  readonly connect: buildConnector.connector = ({ hostname, port, protocol }, callback) => {
    const isTls = protocol === 'https:';
    // URL writes an IPv6 address in brackets, which net does not take.
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    let plain: Socket;
    try {
      plain = connectTcp({ host, port: Number(port) || (isTls ? 443 : 80) }, this.#outbound);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
      return;
    }
    this.#sockets.add(plain);
    plain.once('close', () => this.#sockets.delete(plain));
    const socket = isTls ? this.#connectTls(host, plain) : plain;
    if (isTls) plain.on('error', (error) => socket.destroy(error));
    this.#trying.add(socket);
    const event = isTls ? 'secureConnect' : 'connect';
    const settle = (): void => {
      this.#trying.delete(socket);
      socket.off(event, onOpen).off('error', onError).off('close', onClose);
    };
    const onError = (error: Error): void => {
      settle();
      // Later errors of a failed socket are ignored.
      socket.on('error', () => undefined).destroy();
      callback(error, null);
    };
    const onClose = (): void =>
      onError(Object.assign(new Error('the connection was closed before it was established'), { code: 'ECONNRESET' }));
    const onOpen = (): void => {
      try {
        this.#check();
        this.#requireCertificate(socket);
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      settle();
      callback(null, socket);
    };
    socket.setNoDelay(true).once(event, onOpen).once('error', onError).once('close', onClose);
  };

  /** Ends the attempts that are under way. */
  giveUp(): void {
    for (const socket of this.#trying) socket.destroy(new Error('the connection attempt was aborted'));
  }

  /** Ends every connection too. What was not delivered yet is never sent. */
  reset(): void {
    this.giveUp();
    for (const socket of this.#sockets) resetSocket(socket);
  }

  #connectTls(host: string, socket: Socket): TLSSocket {
    const { ca, fingerprint } = this.#trust;
    return connectTls({
      // Given by us, because a TLS socket of Node.js cannot be reset: what is beneath it can.
      socket,
      host,
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      // A pinned certificate is the only one accepted; its issuer does not matter.
      rejectUnauthorized: fingerprint === undefined,
      ...(ca === undefined ? {} : { ca }),
    });
  }

  #requireCertificate(socket: Socket): void {
    const { fingerprint } = this.#trust;
    if (fingerprint === undefined) return;
    const shown = socket instanceof TLSSocket ? socket.getPeerCertificate().fingerprint256 : '';
    if (shown.replaceAll(':', '').toLowerCase() !== fingerprint) throw new OtherCertificate(shown);
  }
}
