import { ProtocolError, TimedOutError, UnreachableError } from './errors.ts';
import { timerFor } from './pause.ts';

/** The way to an OpenID provider. */
export interface ProviderWay {
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
interface Said {
  readonly status: number;
  readonly said: Readonly<Record<string, unknown>>;
}

/** Asks a provider what it is. One that says it is another, or names no place for such logins, is not believed. */
export const deviceProvider = async (way: ProviderWay): Promise<DeviceProvider> => {
  const url = `${way.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { status, said } = await ask(way, url, { method: 'GET', headers: { accept: 'application/json' } });
  if (status !== 200)
    throw new ProtocolError(`${url} answers with status ${status}; is ${way.issuer} an OpenID provider?`);
  if (said['issuer'] !== way.issuer) {
    throw new ProtocolError(
      `the identity provider ${way.issuer} identifies itself as another issuer; no credentials were sent`,
    );
  }
  const endpoint = (name: string): string => {
    const value = said[name];
    if (typeof value === 'string') return safeAddress(way, value);
    throw new ProtocolError(`the identity provider ${way.issuer} has no ${name}: it does not support the device flow`);
  };
  return { deviceEndpoint: endpoint('device_authorization_endpoint'), tokenEndpoint: endpoint('token_endpoint') };
};

/** Sends a form to a provider. What it holds is in no error. */
export const sendForm = (way: ProviderWay, url: string, form: Readonly<Record<string, string>>): Promise<Said> =>
  ask(way, url, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });

/** What a provider calls a mistake, in its own word. */
export const mistakeIn = ({ status, said }: Said): string => {
  const word = said['error'];
  return typeof word === 'string' && /^\w{1,64}$/.test(word) ? word : `status ${status}`;
};

/** An address that may be believed and sent secrets to: encrypted, or this machine itself. */
export const safeAddress = ({ issuer }: Pick<ProviderWay, 'issuer'>, text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.username === '' && url.password === '';
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '');
  if (isPlain && (url.protocol === 'https:' || (url.protocol === 'http:' && isHere))) return url.href;
  throw new ProtocolError(
    `the identity provider ${issuer} is or refers to an address that is not https; nothing is sent there`,
  );
};

const ask = async (way: ProviderWay, url: string, init: RequestInit): Promise<Said> => {
  const limit = AbortSignal.timeout(timerFor(way.timeoutMs));
  const signal = way.signal ? AbortSignal.any([limit, way.signal]) : limit;
  const address = safeAddress(way, url);
  try {
    const answer = await way.fetch(address, { ...init, signal, redirect: 'manual', credentials: 'omit' });
    const isElsewhere = answer.type === 'opaqueredirect' || (answer.status >= 300 && answer.status < 400);
    if (isElsewhere) throw new ProtocolError(`the identity provider ${way.issuer} redirects, which is not followed`);
    return { status: answer.status, said: objectIn(await answer.text()) };
  } catch (error) {
    way.signal?.throwIfAborted();
    if (error instanceof ProtocolError) throw error;
    if (limit.aborted) {
      throw new TimedOutError(`the identity provider ${way.issuer} did not answer within ${way.timeoutMs / 1000} s`);
    }
    throw new UnreachableError(`the identity provider ${way.issuer} cannot be reached`, { cause: error, sent: true });
  }
};

const objectIn = (text: string): Said['said'] => {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
};
