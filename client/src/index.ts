import { type Calls, calls, type NoArguments } from './calls.ts';
import { type Credentials, none } from './credentials.ts';
import { isAddress, unfitIn } from './endpoint.ts';
import { ProtocolError } from './errors.ts';
import { bytesOf, type CorralEvent, followEvents, type FollowOptions } from './events.ts';
import { type Fetch, fetchTransport, type Patience, type Transport } from './transport.ts';
import { type Action, waitForAction, type WaitOptions } from './wait.ts';

export type { Calls } from './calls.ts';
export { basic, type Credentials, keystoneToken, none, token } from './credentials.ts';
export { type DeviceCode, type DeviceLogin, deviceLogin } from './device-login.ts';
export * from './errors.ts';
export type { CorralEvent, FollowOptions } from './events.ts';
export { type KeystoneLogin, keystone } from './keystone.ts';
export type { Answer, Fetch } from './transport.ts';
export type { Action, WaitOptions } from './wait.ts';

/** Where the service is, who is calling, and how patient the caller is. */
export interface ClientOptions extends Partial<Patience> {
  /** Such as `https://corral.example.org`; with or without `/v0`. */
  readonly endpoint: string;
  readonly credentials?: Credentials;
  /** Instead of the global one. */
  readonly fetch?: Fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

type Name = keyof Calls;
type Method<N extends Name> = Calls[N]['args'] extends NoArguments
  ? (args?: NoArguments, options?: CallOptions) => Promise<Calls[N]['reply']>
  : Partial<Calls[N]['args']> extends Calls[N]['args']
    ? (args?: Calls[N]['args'], options?: CallOptions) => Promise<Calls[N]['reply']>
    : (args: Calls[N]['args'], options?: CallOptions) => Promise<Calls[N]['reply']>;

/** One method for each call of the interface, under its own name, and what takes more than one call. */
export type Corral = { readonly [N in Exclude<Name, 'streamEvents'>]: Method<N> } & {
  readonly endpoint: string;
  /** Waits until a queued change is DONE; throws ActionFailedError when it ends in ERROR. */
  waitForAction(statusId: string, options?: WaitOptions): Promise<Action>;
  /** Events as they happen, without end. */
  followEvents(options?: FollowOptions): AsyncGenerator<CorralEvent>;
};

const usualPatience: Patience = { timeoutMs: 60_000, retries: 2 };

/** A client of one service for one caller. */
export const createClient = (options: ClientOptions): Corral => {
  if (!isAddress(options.endpoint))
    throw new TypeError('the endpoint is not a URL; expected one such as https://corral.example.org');
  const unfit = unfitIn(options.endpoint);
  if (unfit !== null) throw new TypeError(`the endpoint ${unfit}; pass credentials separately`);
  const endpoint = options.endpoint.replace(/\/+$/, '').replace(/\/v0$/, '');
  const { timeoutMs = usualPatience.timeoutMs, retries = usualPatience.retries } = options;
  const fetcher: Fetch = options.fetch ?? ((url, init) => fetch(url, init));
  const transport = fetchTransport(endpoint, options.credentials ?? none, { timeoutMs, retries }, fetcher);
  const methods = Object.fromEntries(
    Object.entries(calls).map(([name, place]) => [
      name,
      (args: Readonly<Record<string, unknown>> = {}, { signal }: CallOptions = {}) =>
        call(transport, place, args, signal),
    ]),
  );
  const eyes = {
    ask: (status_id: string, signal: AbortSignal) =>
      call(transport, calls.showNetworkingAction, { status_id }, signal) as Promise<Action>,
    follow: (following: FollowOptions) => followEvents(transport, following),
  };
  return {
    // Each has the type that its place in the list has; that the two agree is how the list is made.
    ...(methods as unknown as Omit<Corral, 'endpoint' | 'waitForAction' | 'followEvents'>),
    endpoint,
    waitForAction: (statusId, waiting) => waitForAction(eyes, statusId, waiting),
    followEvents: (following = {}) => eyes.follow(following),
  };
};

/** What goes into a URL; the types let nothing else through than texts, numbers and flags. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

type Place = (typeof calls)[keyof typeof calls];

const call = async (
  transport: Transport,
  place: Place,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined,
): Promise<unknown> => {
  const rest = { ...args };
  const take = (name: string): unknown => {
    const value = rest[name];
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a copy made for this
    delete rest[name];
    return value;
  };
  const path = place.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(textOf(take(name))));
  const query = new URLSearchParams(
    place.query.flatMap((name) => {
      const value = take(name);
      return value === undefined ? [] : [[name, textOf(value)] as [string, string]];
    }),
  ).toString();
  const request = {
    method: place.method,
    path: `/v0${path}${query === '' ? '' : `?${query}`}`,
    isSafe: place.effect === 'reads',
    ...(place.method === 'GET' || Object.keys(rest).length === 0
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(rest) }),
  };
  if (place.reply === 'bytes') return bytesOf(await transport.open(request, signal));
  const text = await transport.ask(request, signal);
  if (place.reply === 'nothing') return undefined;
  const strange = (what: string, cause?: unknown): ProtocolError =>
    new ProtocolError(`the response to ${place.method} ${path} is ${what}; is the endpoint a Corral service?`, {
      cause,
    });
  let answer: unknown;
  try {
    answer = JSON.parse(text) as unknown;
  } catch (error) {
    throw strange(text === '' ? 'empty' : 'not JSON', error);
  }
  if (place.reply === 'list' && !Array.isArray(answer)) throw strange('not a list');
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
  if (place.reply === 'object' && !isObject) throw strange('not an object');
  return answer;
};
