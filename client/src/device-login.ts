import type { Credentials } from './credentials.ts';
import { ProtocolError, refusedBy, TimedOutError, UnreachableError } from './api-errors.ts';
import { bearerOf } from './jwt.ts';
import {
  type DeviceProvider,
  deviceProvider,
  mistakeIn,
  type ProviderRequestOptions,
  safeAddress,
  sendForm,
} from './openid-provider.ts';
import { pause } from './pause.ts';

/** What somebody has to do in a browser, on any machine. */
export interface DeviceCode {
  readonly userCode: string;
  readonly verificationUri: string;
  /** The same with the code in it, if the provider has that. */
  readonly verificationUriComplete: string | null;
  readonly expiresAt: Date;
}

/** Where to log in; a service tells it with `showAuthMethods`. */
export interface DeviceLogin {
  readonly issuer: string;
  readonly clientId: string;
  /**
   * With `offline_access`, or at providers that do so anyway, the login is renewed for as long as the provider likes.
   */
  readonly scopes?: string;
  /** What tokens for the service hold in `aud`. */
  readonly audience?: string;
  /** Shows the code to the user. */
  readonly onCode: (code: DeviceCode) => void | Promise<void>;
  readonly signal?: AbortSignal;
  /** How long each answer of the provider may take; half a minute by default. */
  readonly timeoutMs?: number;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch;
}

type Wait = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** Tokens of a provider, as far as they are kept. */
interface Tokens {
  readonly bearer: string;
  readonly refresh: string | null;
}

const usualTimeoutMs = 30_000;
/** What the standard (RFC 8628) has where a provider says nothing, and what `slow_down` adds. */
const usualIntervalS = 5;
const longestIntervalS = 60;
/** No code is waited for longer, whatever the provider says. */
const longestCodeS = 30 * 60;

/**
 * Logs somebody in with a browser that may be elsewhere: shows a code, waits until it was entered, answers with who it
 * is.
 */
export const deviceLogin = (login: DeviceLogin): Promise<Credentials> => deviceLoginWith(login, pause);

/** The same with another way to wait. */
export const deviceLoginWith = async (login: DeviceLogin, wait: Wait): Promise<Credentials> => {
  const options: ProviderRequestOptions = {
    issuer: login.issuer,
    fetch: login.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs: login.timeoutMs ?? usualTimeoutMs,
    signal: login.signal,
  };
  const provider = await deviceProvider(options);
  const asked = await askForCode(options, provider, login);
  await login.onCode(asked.code);
  const tokens = await waitForTokens(options, provider, login, asked, wait);
  return renewing(tokens, (refresh, signal) => renewed({ ...options, signal }, provider, login, refresh));
};

interface Asked {
  readonly code: DeviceCode;
  readonly deviceCode: string;
  readonly intervalMs: number;
  /** By the monotonic clock. */
  readonly deadline: number;
}

const askForCode = async (
  options: ProviderRequestOptions,
  { deviceEndpoint }: DeviceProvider,
  login: DeviceLogin,
): Promise<Asked> => {
  const form = { client_id: login.clientId, scope: login.scopes ?? 'openid profile', ...targetOf(login) };
  const answer = await sendForm(options, deviceEndpoint, form);
  const { device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval } = answer.said;
  if (answer.status !== 200) {
    throw refusedBy(
      `the identity provider ${options.issuer} rejects the login of client ${login.clientId} (${mistakeIn(answer)})`,
    );
  }
  const isCode = typeof user_code === 'string' && /^[\x21-\x7e][\x20-\x7e]{0,63}$/.test(user_code);
  if (!isCode || typeof device_code !== 'string' || typeof verification_uri !== 'string' || !isPositive(expires_in)) {
    throw new ProtocolError(
      `the identity provider ${options.issuer} sent a response without a code; its device flow cannot be used`,
    );
  }
  const lastsMs = Math.min(expires_in, longestCodeS) * 1000;
  return {
    deviceCode: device_code,
    deadline: performance.now() + lastsMs,
    intervalMs: Math.min(Math.max(isPositive(interval) ? interval : usualIntervalS, 1), longestIntervalS) * 1000,
    code: {
      userCode: user_code,
      verificationUri: safeAddress(options, verification_uri),
      verificationUriComplete:
        typeof verification_uri_complete === 'string' ? safeAddress(options, verification_uri_complete) : null,
      expiresAt: new Date(Date.now() + lastsMs),
    },
  };
};

const waitForTokens = async (
  options: ProviderRequestOptions,
  { tokenEndpoint }: DeviceProvider,
  login: DeviceLogin,
  { deviceCode, intervalMs, deadline }: Asked,
  wait: Wait,
): Promise<Tokens> => {
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
    client_id: login.clientId,
    ...targetOf(login),
  };
  for (let pauseMs = intervalMs; ;) {
    await wait(pauseMs, options.signal);
    if (performance.now() >= deadline) throw tooLate();
    const answer = await sendForm(options, tokenEndpoint, form).catch((error: unknown) => {
      if (error instanceof UnreachableError || error instanceof TimedOutError) return null;
      throw error;
    });
    // A line that breaks for a while ends nothing.
    if (answer === null || answer.status >= 500) {
      pauseMs = Math.min(pauseMs * 2, Math.max(longestIntervalS * 1000, pauseMs));
      continue;
    }
    if (answer.status === 200) return tokensIn(options, login, answer.said);
    const mistake = mistakeIn(answer);
    if (mistake === 'slow_down') pauseMs += usualIntervalS * 1000;
    else if (mistake === 'expired_token') throw tooLate();
    else if (mistake === 'access_denied') throw refusedBy(`the login at ${options.issuer} was denied`);
    else if (mistake !== 'authorization_pending') {
      throw refusedBy(`the identity provider ${options.issuer} rejected the login (${mistake}); start again`);
    }
  }
};

const tooLate = () => new TimedOutError('the code was not entered in time; start again');

const renewed = async (
  options: ProviderRequestOptions,
  { tokenEndpoint }: DeviceProvider,
  login: DeviceLogin,
  refresh: string,
): Promise<Tokens | null> => {
  const form = { grant_type: 'refresh_token', refresh_token: refresh, client_id: login.clientId, ...targetOf(login) };
  const answer = await sendForm(options, tokenEndpoint, form);
  // The login has ended at the provider.
  if (answer.status >= 400 && answer.status < 500) return null;
  const tokens = tokensIn(options, login, answer.said);
  return { ...tokens, refresh: tokens.refresh ?? refresh };
};

/** Sends what it has, and gets the next when the service refuses that. */
const renewing = (
  first: Tokens,
  renew: (refresh: string, signal: AbortSignal) => Promise<Tokens | null>,
): Credentials => {
  let tokens = first;
  let underWay: Promise<boolean> | null = null;
  const next = async (refresh: string, signal: AbortSignal): Promise<boolean> => {
    const answer = await renew(refresh, signal);
    tokens = answer ?? { ...tokens, refresh: null };
    return answer !== null;
  };
  return {
    headers: () => Promise.resolve({ authorization: `Bearer ${tokens.bearer}` }),
    renew: (signal) => {
      if (tokens.refresh === null) return Promise.resolve(false);
      // A refresh token is often good once: those who are refused together share one.
      underWay ??= next(tokens.refresh, signal).finally(() => {
        underWay = null;
      });
      return underWay;
    },
  };
};

const tokensIn = (
  options: ProviderRequestOptions,
  { audience }: DeviceLogin,
  said: Readonly<Record<string, unknown>>,
): Tokens => {
  const { access_token, id_token, refresh_token } = said;
  const bearer = bearerOf([access_token, id_token], audience);
  if (bearer === null) {
    throw new ProtocolError(
      `the identity provider ${options.issuer} issued no token that the service accepts (a JWT${audience === undefined ? '' : ` with audience ${audience}`}); its operator must configure it to issue them`,
    );
  }
  return { bearer, refresh: typeof refresh_token === 'string' ? refresh_token : null };
};

/**
 * Providers that issue tokens for many services need the name of the service: by RFC 8707, or as some did before it. It
 * is an address for them; others know the audience by the client or its scopes.
 */
const targetOf = ({ audience }: DeviceLogin): Readonly<Record<string, string>> =>
  audience !== undefined && /^https?:\/\//.test(audience) ? { resource: audience, audience } : {};

const isPositive = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && Number.isFinite(value);
