import { OtherCertificate } from './connector.ts';
import { AddressRefused } from './outbound.ts';

/** Why a request has no answer that could be read. */
type HttpFaultKind =
  | 'late'
  | 'aborted'
  /** A longer answer than is read. */
  | 'too long'
  /** Nobody who is trusted signed the certificate, or it is for another host. */
  | 'untrusted'
  | 'other certificate'
  | 'refused address'
  /** What answers speaks no HTTP, or no TLS. */
  | 'nonsense'
  | 'not reached';

/**
 * A request that was not answered. Its own message is a code only; its cause may contain the URL, or parts
 * of the answer, and with them secrets.
 */
export class HttpFault extends Error {
  readonly kind: HttpFaultKind;
  readonly code: string;

  constructor(kind: HttpFaultKind, code: string, cause: unknown) {
    super(code, { cause });
    this.name = 'HttpFault';
    this.kind = kind;
    this.code = code;
  }

  /** What the cause tells: only for the log, or where nothing secret was sent. */
  get details(): string {
    return this.cause instanceof Error ? this.cause.message : this.code;
  }
}

/** How Node.js and OpenSSL call what is wrong with a certificate. */
const certificateCode = /^(?!ERR_SSL_).*(?:CERT|SELF_SIGNED)|^(?:UNABLE_TO_|CRL_|INVALID_CA|HOSTNAME_MISMATCH)/;
const nonsenseCode = /^(?:HPE_|ERR_SSL_|EPROTO$|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RESPONSE)/;

const kindOf = (error: unknown, code: string): HttpFaultKind => {
  if (error instanceof Error && error.name === 'TimeoutError') return 'late';
  if (error instanceof AddressRefused) return 'refused address';
  if (error instanceof OtherCertificate) return 'other certificate';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'too long';
  if (certificateCode.test(code)) return 'untrusted';
  return nonsenseCode.test(code) ? 'nonsense' : 'not reached';
};

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return /^\w{1,64}$/.test(code) ? code : 'unknown';
};

/** What went wrong with a request; the fault itself, if it is known already. */
export const httpFaultOf = (error: unknown, signal?: AbortSignal): HttpFault => {
  if (error instanceof HttpFault) return error;
  const code = codeOf(error);
  const kind = kindOf(error, code);
  return new HttpFault(signal?.aborted === true && kind === 'not reached' ? 'aborted' : kind, code, error);
};
