import { isLoopback } from '@corral/base/http/loopback';
import type { HttpFault } from '@corral/base/http/http-fault';
import { type CorralError, unavailable } from '../../core/corral-error.ts';
import { type ProviderRequest, type ProviderAddress, ProviderHttpClient } from '../provider-http-client.ts';

export interface OpenIdAddress extends ProviderAddress {
  readonly issuer: string;
}

/** The way to the OpenID provider: encrypted, unless it is this machine. */
export interface OidcHttpClient extends Pick<ProviderHttpClient, 'close'> {
  /** No answer is an UnavailableError. */
  ask(url: string, ask: ProviderRequest): Promise<Response>;
}

const largestAnswer = 1024 * 1024;

export const oidcHttpClient = ({ issuer, ...address }: OpenIdAddress): OidcHttpClient => {
  const unanswered = (fault: HttpFault) => refusalOf(fault, issuer, address.timeoutMs);
  const http = new ProviderHttpClient({ ...address, largestAnswer, keepAlive: false, unanswered });
  return {
    ask: async (url, ask) => {
      if (!isSafeAddress(url)) throw untrustworthy(issuer, `uses an address that is not https: ${url}`);
      const { status, headers, text } = await http.inTime((signal) => http.ask(url, ask, signal));
      const type = headers['content-type'];
      return new Response(text === '' ? null : text, {
        status,
        headers: typeof type === 'string' ? { 'content-type': type } : {},
      });
    },
    close: () => http.close(),
  };
};

/** May a secret go there, and may what comes from there be believed? */
export const isSafeAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')));
};

/** The provider said something that it should not have; what, is for the log. */
export const untrustworthy = (issuer: string, details: string) =>
  unavailable(
    `the identity provider ${issuer} sent an invalid response; an administrator must check it, and oidc.issuer`,
    { cause: new Error(`the identity provider ${details}`) },
  );

const refusalOf = ({ kind, code }: HttpFault, issuer: string, timeoutMs: number): CorralError => {
  const options = { cause: new Error(`the identity provider: ${code}`) };
  switch (kind) {
    case 'late':
      return unavailable(
        `the identity provider ${issuer} did not answer within ${timeoutMs / 1000} s; try again`,
        options,
      );
    case 'too long':
      return untrustworthy(issuer, `sent more than ${largestAnswer} bytes`);
    case 'untrusted':
      return unavailable(
        `the certificate of the identity provider ${issuer} is not trusted here; an administrator has to set oidc.ca`,
        options,
      );
    default:
      return unavailable(`the identity provider ${issuer} cannot be reached; try again later`, options);
  }
};
