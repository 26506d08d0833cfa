import type { HttpFault } from '@corral/base/http/http-fault';
import { type CorralError, unavailable } from '../../core/corral-error.ts';
import { type ProviderRequest, type ProviderAddress, ProviderHttpClient } from '../provider-http-client.ts';

export interface KeystoneAddress extends ProviderAddress {
  /** Ends in `/v3`. */
  readonly url: string;
}

/** What Keystone answered. */
export interface Reply {
  readonly status: number;
  /** `X-Subject-Token`. */
  readonly token: string | null;
  readonly text: string;
}

/** The way to Keystone's calls about tokens. */
export interface KeystoneHttpClient extends Pick<ProviderHttpClient, 'inTime' | 'close'> {
  ask(ask: ProviderRequest, signal: AbortSignal): Promise<Reply>;
}

const largestAnswer = 256 * 1024;

export const keystoneHttpClient = ({ url, ...address }: KeystoneAddress): KeystoneHttpClient => {
  const unanswered = (fault: HttpFault) => refusalOf(fault, address.timeoutMs);
  const http = new ProviderHttpClient({ ...address, largestAnswer, keepAlive: true, unanswered });
  // The catalogue of all services can be long, and nobody reads it here.
  const tokens = `${url}/auth/tokens?nocatalog`;
  return {
    inTime: (work) => http.inTime(work),
    ask: async (ask, signal) => {
      const { status, headers, text } = await http.ask(tokens, ask, signal);
      const token = headers['x-subject-token'];
      return { status, token: typeof token === 'string' ? token : null, text };
    },
    close: () => http.close(),
  };
};

const refusalOf = ({ kind, code }: HttpFault, timeoutMs: number): CorralError => {
  const options = { cause: new Error(`Keystone: ${code}`) };
  switch (kind) {
    case 'late':
      return unavailable(
        `Keystone did not answer within ${timeoutMs / 1000} s, so tokens cannot be validated; try again`,
        options,
      );
    case 'too long':
      return misunderstood('with too much data', `more than ${largestAnswer} bytes`);
    case 'untrusted':
      return unavailable(
        "Keystone's certificate is not trusted here, so tokens cannot be validated; an administrator has to set keystone.ca",
        options,
      );
    default:
      return unavailable('Keystone cannot be reached, so tokens cannot be validated; try again later', options);
  }
};

/** Keystone said something that it should not have; the details are for the log. */
export const misunderstood = (what: string, details: string) =>
  unavailable(
    `Keystone answered ${what}, so tokens cannot be validated; an administrator has to check Keystone, and keystone.url`,
    { cause: new Error(`Keystone: ${details}`) },
  );
