import { connect as connectPlain, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
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
    super(`its certificate has the fingerprint ${shown}, not the one that is registered`);
    this.name = 'OtherCertificate';
  }
}

/**
 * Makes connections to one device, and can be told to stop trying: left to itself, a connection that nobody
 * answers would outlive the signal by many seconds. The certificate is checked before a byte of ours is sent.
 */
export class Connector {
  readonly #trust: Trust;
  readonly #outbound: Outbound | null;
  readonly #trying = new Set<Socket>();

  /** Without `outbound` it connects to wherever the device is. */
  constructor(trust: Trust, outbound: Outbound | null = null) {
    this.#trust = trust;
    this.#outbound = outbound;
  }

  readonly connect: buildConnector.connector = ({ hostname, port, protocol }, callback) => {
    const isTls = protocol === 'https:';
    // URL writes an IPv6 address in brackets, which net does not take.
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const refusal = this.#outbound?.refusalOf(host) ?? null;
    if (refusal !== null) {
      callback(refusal, null);
      return;
    }
    const lookup = this.#outbound === null ? {} : { lookup: this.#outbound.lookup };
    const to = { host, port: Number(port) || (isTls ? 443 : 80), ...lookup };
    const socket = isTls ? this.#connectTls(to) : connectPlain(to);
    this.#trying.add(socket);
    const event = isTls ? 'secureConnect' : 'connect';
    const settle = (): void => {
      this.#trying.delete(socket);
      socket.off(event, onOpen).off('error', onError).off('close', onClose);
    };
    const onError = (error: Error): void => {
      settle();
      // Whatever a failed socket still has to say concerns nobody.
      socket.on('error', () => undefined).destroy();
      callback(error, null);
    };
    const onClose = (): void => onError(new Error('it hung up before anything was said'));
    const onOpen = (): void => {
      const complaint = this.#complaintAbout(socket);
      if (complaint !== null) {
        onError(complaint);
        return;
      }
      settle();
      callback(null, socket);
    };
    socket.setNoDelay(true).once(event, onOpen).once('error', onError).once('close', onClose);
  };

  /** Ends the attempts that are under way. */
  giveUp(): void {
    for (const socket of this.#trying) socket.destroy(new Error('the attempt to connect was given up'));
  }

  #connectTls(to: TcpNetConnectOpts & { readonly host: string }): TLSSocket {
    const { ca, fingerprint } = this.#trust;
    return connectTls({
      ...to,
      servername: isIP(to.host) === 0 ? to.host : '',
      ALPNProtocols: ['http/1.1'],
      // A pinned certificate is the only one that counts; whoever signed it does not.
      rejectUnauthorized: fingerprint === undefined,
      ...(ca === undefined ? {} : { ca }),
    });
  }

  #complaintAbout(socket: Socket): Error | null {
    const { fingerprint } = this.#trust;
    if (fingerprint === undefined) return null;
    const shown = socket instanceof TLSSocket ? socket.getPeerCertificate().fingerprint256 : '';
    return shown.replaceAll(':', '').toLowerCase() === fingerprint ? null : new OtherCertificate(shown);
  }
}
