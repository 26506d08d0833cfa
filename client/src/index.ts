import { type Calls, calls, type NoArguments } from './calls.ts';
import { type Credentials, none } from './credentials.ts';
import { isAddress, unfitIn } from './endpoint.ts';
import { ProtocolError } from './api-errors.ts';
import { bytesOf, type CorralEvent, followEvents, type FollowOptions } from './follow-events.ts';
import { type Fetch, fetchTransport, type RequestLimits, type Transport } from './transport.ts';
import { type Action, waitForAction, type WaitOptions } from './wait-for-action.ts';
import { type Release, type ReleaseWaitOptions, waitForRelease } from './wait-for-release.ts';

export type { Calls } from './calls.ts';
export { basic, type Credentials, keystoneToken, none, token } from './credentials.ts';
export { type DeviceCode, type DeviceLogin, deviceLogin } from './device-login.ts';
export * from './api-errors.ts';
export { eventSentences, eventText, forceIn } from './event-sentences.ts';
export type { CorralEvent, FollowOptions } from './follow-events.ts';
export { type KeystoneLogin, keystone } from './keystone.ts';
export { brokenNameRule, type NamedThing } from './name-rule.ts';
export { naturalOrder } from './natural-order.ts';
export type { Answer, Fetch } from './transport.ts';
export { allUsage, hoursOf, usageCsv, type UsageKey, type UsageRow } from './usage-report.ts';
export type { Action, WaitOptions } from './wait-for-action.ts';
export type { Release, ReleaseWaitOptions } from './wait-for-release.ts';

/** Where the service is, who is calling, and how patient the caller is. */
export interface ClientOptions extends Partial<RequestLimits> {
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
  /** Waits until a release of a node is done; throws ReleaseFailedError when it failed. */
  waitForRelease(release: string, options?: ReleaseWaitOptions): Promise<Release>;
  /** Events as they happen, without end. */
  followEvents(options?: FollowOptions): AsyncGenerator<CorralEvent>;
  /** What a WebSocket to a console or a screen is opened with. A browser sends its cookie by itself. */
  webSocket<N extends 'showConsole' | 'headnodeVnc'>(
    name: N,
    args: Calls[N]['args'],
    options?: CallOptions,
  ): Promise<WebSocketAddress>;
};

/** Where a WebSocket goes, and the headers that say who is calling. */
export interface WebSocketAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What is not made from the list of calls. */
type HandMade = 'endpoint' | 'waitForAction' | 'waitForRelease' | 'followEvents' | 'webSocket';

const defaultLimits: RequestLimits = { timeoutMs: 60_000, retries: 2 };

/** A client of one service for one caller. */
export const createClient = (options: ClientOptions): Corral => {
  if (!isAddress(options.endpoint))
    throw new TypeError('the endpoint is not a URL; expected one such as https://corral.example.org');
  const unfit = unfitIn(options.endpoint);
  if (unfit !== null) throw new TypeError(`the endpoint ${unfit}; pass credentials separately`);
  const endpoint = options.endpoint.replace(/\/+$/, '').replace(/\/v0$/, '');
  const { timeoutMs = defaultLimits.timeoutMs, retries = defaultLimits.retries } = options;
  const fetcher: Fetch = options.fetch ?? ((url, init) => fetch(url, init));
  const transport = fetchTransport(endpoint, options.credentials ?? none, { timeoutMs, retries }, fetcher);
  const methods = Object.fromEntries(
    Object.entries(calls).map(([name, definition]) => [
      name,
      (args: Readonly<Record<string, unknown>> = {}, { signal }: CallOptions = {}) =>
        call(transport, definition, args, signal),
    ]),
  );
  const follow = (following: FollowOptions) => followEvents(transport, following);
  const actions = {
    ask: (status_id: string, signal: AbortSignal) =>
      call(transport, calls.showNetworkingAction, { status_id }, signal) as Promise<Action>,
    follow,
  };
  const releases = {
    ask: (release: string, signal: AbortSignal) =>
      call(transport, calls.showRelease, { release }, signal) as Promise<Release>,
    follow,
  };
  return {
    // Each has the type that its place in the list has; that the two agree is how the list is made.
    ...(methods as unknown as Omit<Corral, HandMade>),
    endpoint,
    waitForAction: (statusId, waiting) => waitForAction(actions, statusId, waiting),
    waitForRelease: (release, waiting) => waitForRelease(releases, release, waiting),
    followEvents: (following = {}) => follow(following),
    webSocket: async (name, args, { signal } = {}) => ({
      url: `${endpoint.replace(/^http/, 'ws')}/v0${pathOf(calls[name].path, (field) => args[field as keyof typeof args])}`,
      headers: await transport.headers(signal),
    }),
  };
};

/** What goes into a URL; the types let nothing else through than texts, numbers and flags. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const pathOf = (pattern: string, valueOf: (name: string) => unknown): string =>
  pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(textOf(valueOf(name))));

type CallDefinition = (typeof calls)[keyof typeof calls];

const call = async (
  transport: Transport,
  definition: CallDefinition,
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
  const path = pathOf(definition.path, take);
  const query = new URLSearchParams(
    definition.query.flatMap((name) => {
      const value = take(name);
      return value === undefined ? [] : [[name, textOf(value)] as [string, string]];
    }),
  ).toString();
  const request = {
    method: definition.method,
    path: `/v0${path}${query === '' ? '' : `?${query}`}`,
    isSafe: definition.effect === 'reads',
    ...(definition.method === 'GET' || Object.keys(rest).length === 0
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(rest) }),
  };
  if (definition.reply === 'bytes') return bytesOf(await transport.open(request, signal));
  const text = await transport.ask(request, signal);
  if (definition.reply === 'nothing') return undefined;
  const strange = (what: string, cause?: unknown): ProtocolError =>
    new ProtocolError(`the response to ${definition.method} ${path} is ${what}; is the endpoint a Corral service?`, {
      cause,
    });
  let answer: unknown;
  try {
    answer = JSON.parse(text) as unknown;
  } catch (error) {
    throw strange(text === '' ? 'empty' : 'not JSON', error);
  }
  if (definition.reply === 'list' && !Array.isArray(answer)) throw strange('not a list');
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
  if (definition.reply === 'object' && !isObject) throw strange('not an object');
  return answer;
};
