import { Type } from '@corral/base/schema/type';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Credentials } from '../auth/contract.ts';
import type { DeviceUse } from '../core/device-calls.ts';
import type { Desk } from '../core/op.ts';

/** Who may make a call at all; what they may do with it is the core's decision. */
type Access =
  /** Callers without credentials too. */
  | 'anyone'
  /** Callers whom a backend knows. */
  | 'user'
  | 'admin'
  /** Whoever is about to sign in: credentials that the request brings, such as a session that is over, are not looked at. */
  | 'newcomer';

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

/** One call of the interface, as a value: server, OpenAPI, reference page and authorization tests are made from it. */
export interface Route {
  /** The interface's own name: `show_node`. */
  readonly name: string;
  readonly method: Method;
  /** Below `/v0`; arguments as `:name`. */
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  /** Whether a caller who may only look may make it. */
  readonly effect: 'reads' | 'changes';
  /** How it reaches switches, OBM daemons or the hypervisor; null: it does not, and is not let. */
  readonly devices: DeviceUse | null;
  /** Who may call, in the interface's words, for the reference. */
  readonly auth: string;
  readonly params: TObject;
  readonly query: TObject;
  readonly body: TSchema;
  /** null: nothing to say. A string: bytes of that media type. */
  readonly reply: TSchema | string | null;
  readonly status: 200 | 202;
  /**
   * The answer depends only on the arguments and on what events record, so it may be kept until the next
   * event: one for everyone, or one for each caller. null: it is made anew every time.
   */
  readonly keep: 'everyone' | 'caller' | null;
  readonly handle: (desk: Desk, args: Arguments, client: Client) => Promise<unknown>;
  /** Of answers that go on: throws once the caller may not have it any more. Asked again and again. */
  readonly stillMay: ((desk: Desk, args: Arguments) => Promise<unknown>) | null;
}

/** Who waits for the answer, for the few calls to which that matters. */
interface Client {
  /** Aborts when the client is gone. */
  readonly gone: () => AbortSignal;
  readonly wantsWebSocket: boolean;
  /** Where the request comes from: behind a trusted proxy, what the proxy says. */
  readonly address: string;
  /** What the request says of itself, for calls that sign somebody in. */
  readonly credentials: Credentials;
  /** Adds a header to the answer. */
  readonly setHeader: (name: string, value: string) => void;
}

/** The parts of a request, checked. */
interface Arguments {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

const nothing = Type.Object({}, { additionalProperties: false });

interface Definition<P extends TObject, Q extends TObject, B extends TSchema, R extends TSchema | string | null> {
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  /** By default a GET reads, and everything else changes something. */
  readonly effect?: 'reads' | 'changes';
  readonly devices?: DeviceUse;
  readonly auth: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly reply?: R;
  readonly status?: 202;
  readonly keep?: 'everyone' | 'caller';
  readonly stillMay?: (desk: Desk, args: { readonly params: Static<P> }) => Promise<unknown>;
  readonly handle: (
    desk: Desk,
    args: { readonly params: Static<P>; readonly query: Static<Q>; readonly body: Static<B> },
    client: Client,
  ) => Promise<R extends TSchema ? DeepReadonly<Static<R>> : unknown>;
}

/** Makes a route whose handler is typed by its schemas. */
export const route = <
  P extends TObject = typeof nothing,
  Q extends TObject = typeof nothing,
  B extends TSchema = typeof nothing,
  R extends TSchema | string | null = null,
>(
  definition: Definition<P, Q, B, R>,
): Route => ({
  ...definition,
  effect: definition.effect ?? (definition.method === 'GET' ? 'reads' : 'changes'),
  devices: definition.devices ?? null,
  params: definition.params ?? nothing,
  query: definition.query ?? nothing,
  body: definition.body ?? nothing,
  reply: definition.reply ?? null,
  status: definition.status ?? 200,
  keep: definition.keep ?? null,
  stillMay: definition.stillMay
    ? (desk, args) => definition.stillMay?.(desk, args as { readonly params: Static<P> }) ?? Promise.resolve()
    : null,
  // The server checks every part against these very schemas before it calls.
  handle: (desk, args, client) => definition.handle(desk, args as Parameters<typeof definition.handle>[1], client),
});
