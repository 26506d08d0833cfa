import { ProtocolError, TimedOutError, UnreachableError } from './api-errors.ts';
import { timerFor } from './pause.ts';

/** The way to an OpenID provider. */
export interface ProviderRequestOptions {
  readonly issuer: string;
  readonly fetch: typeof fetch;
  /** How long one answer may take. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** What a login without a browser needs of a provider. */
export interface DeviceProvider {
  readonly deviceEndpoint: string;
  readonly tokenEndpoint: string;
}

/** An answer: its status, and what its JSON holds. */
interface ProviderResponse {
  readonly status: number;
  readonly said: Readonly<Record<string, unknown>>;
}

/** Asks a provider what it is. One that says it is another, or names no place for such logins, is not believed. */
export const deviceProvider = async (options: ProviderRequestOptions): Promise<DeviceProvider> => {
  const url = `${options.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { status, said } = await ask(options, url, { method: 'GET', headers: { accept: 'application/json' } });
  if (status !== 200)
    throw new ProtocolError(`${url} answers with status ${status}; is ${options.issuer} an OpenID provider?`);
  if (said['issuer'] !== options.issuer) {
    throw new ProtocolError(
      `the identity provider ${options.issuer} identifies itself as another issuer; no credentials were sent`,
    );
  }
  const endpoint = (name: string): string => {
    const value = said[name];
    if (typeof value === 'string') return safeAddress(options, value);
    throw new ProtocolError(
      `the identity provider ${options.issuer} has no ${name}: it does not support the device flow`,
    );
  };
  return { deviceEndpoint: endpoint('device_authorization_endpoint'), tokenEndpoint: endpoint('token_endpoint') };
};

/** Sends a form to a provider. What it holds is in no error. */
export const sendForm = (
  options: ProviderRequestOptions,
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<ProviderResponse> =>
  ask(options, url, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });

/** What a provider calls a mistake, in its own word. */
export const mistakeIn = ({ status, said }: ProviderResponse): string => {
  const word = said['error'];
  return typeof word === 'string' && /^\w{1,64}$/.test(word) ? word : `status ${status}`;
};

/** An address that may be believed and sent secrets to: encrypted, or this machine itself. */
export const safeAddress = ({ issuer }: Pick<ProviderRequestOptions, 'issuer'>, text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.username === '' && url.password === '';
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '');
  if (isPlain && (url.protocol === 'https:' || (url.protocol === 'http:' && isHere))) return url.href;
  throw new ProtocolError(
    `the identity provider ${issuer} is or refers to an address that is not https; nothing is sent there`,
  );
};

const ask = async (options: ProviderRequestOptions, url: string, init: RequestInit): Promise<ProviderResponse> => {
  const limit = AbortSignal.timeout(timerFor(options.timeoutMs));
  const signal = options.signal ? AbortSignal.any([limit, options.signal]) : limit;
  const address = safeAddress(options, url);
  try {
    const answer = await options.fetch(address, { ...init, signal, redirect: 'manual', credentials: 'omit' });
    const isElsewhere = answer.type === 'opaqueredirect' || (answer.status >= 300 && answer.status < 400);
    if (isElsewhere)
      throw new ProtocolError(`the identity provider ${options.issuer} redirects, which is not followed`);
    return { status: answer.status, said: objectIn(await answer.text()) };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof ProtocolError) throw error;
    if (limit.aborted) {
      throw new TimedOutError(
        `the identity provider ${options.issuer} did not answer within ${options.timeoutMs / 1000} s`,
      );
    }
    throw new UnreachableError(`the identity provider ${options.issuer} cannot be reached`, {
      cause: error,
      sent: true,
    });
  }
};

const objectIn = (text: string): ProviderResponse['said'] => {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
};
