import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { ConsoleSession } from '../core/console-sessions.ts';
import type { DeviceUse } from '../core/device-calls.ts';
import type { RequestContext } from '../core/request-context.ts';
import type { VncPort } from '../core/vnc.ts';
import { type CheckedParts, type Nothing, nothing, partsChecker, type PartSchemas } from './request-parts.ts';
import type { Accept, Call, Client, Keep, Reply, StreamCall } from './route-reply.ts';

/** Who may make a call at all; what they may do with it is the core's decision. */
type Access =
  /** Callers without credentials too. */
  | 'anyone'
  /** Authenticated callers. */
  | 'user'
  | 'admin'
  /** For signing in: credentials of the request, such as an expired session, are ignored. */
  | 'sign-in';

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
  readonly status: 200 | 202;
  readonly reply: Reply;
}

type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** What a definition says of every kind of call. */
interface Description<P extends TObject, Q extends TObject, B extends TSchema> extends PartSchemas<P, Q, B> {
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  /** By default a GET reads, and everything else changes something. */
  readonly effect?: 'reads' | 'changes';
  readonly devices?: DeviceUse;
  readonly auth: string;
  readonly status?: 202;
}

type Handle<P extends TObject, Q extends TObject, B extends TSchema, T> = (
  context: RequestContext,
  args: CheckedParts<P, Q, B>,
  client: Client,
) => Promise<T>;

interface Definition<P extends TObject, Q extends TObject, B extends TSchema, R extends TSchema> extends Description<
  P,
  Q,
  B
> {
  /** What the answer looks like; absent: it is empty. */
  readonly reply?: R;
  readonly cache?: TSchema extends R ? never : Exclude<Keep, null>;
  readonly handle: Handle<P, Q, B, TSchema extends R ? unknown : DeepReadonly<Static<R>>>;
}

/** Makes a route that answers with JSON, or with nothing, and whose handler is typed by its schemas. */
export const route = <
  P extends TObject = Nothing,
  Q extends TObject = Nothing,
  B extends TSchema = Nothing,
  R extends TSchema = TSchema,
>({
  reply: schema,
  cache,
  handle,
  ...description
}: Definition<P, Q, B, R>): Route => {
  const { common, check } = described(description);
  const accept: Accept<Call<unknown>> = (parts) => {
    const args = check(parts);
    return { run: (context, client) => handle(context, args, client) };
  };
  return {
    ...common,
    reply: schema === undefined ? { kind: 'none', accept } : { kind: 'json', schema, keep: cache ?? null, accept },
  };
};

interface StreamDefinition<P extends TObject, T> extends Description<P, Nothing, Nothing> {
  readonly handle: Handle<P, Nothing, Nothing, T>;
  readonly recheckAccess: (context: RequestContext, args: { readonly params: Static<P> }) => Promise<unknown>;
}

/** Makes a route that answers with a serial console. */
export const consoleRoute = <P extends TObject>(definition: StreamDefinition<P, ConsoleSession>): Route => {
  const { common, accept } = describedStream(definition);
  return { ...common, reply: { kind: 'console', accept } };
};

/** Makes a route that answers with a WebSocket, connected to the endpoint that its handler finds. */
export const tunnelRoute = <P extends TObject>(definition: StreamDefinition<P, VncPort>): Route => {
  const { common, accept } = describedStream(definition);
  return { ...common, reply: { kind: 'tunnel', accept } };
};

/** Makes a route that answers with the events that the caller may see. */
export const eventsRoute = (description: Description<Nothing, Nothing, Nothing>): Route => {
  const { common, check } = described(description);
  return { ...common, reply: { kind: 'events', accept: check } };
};

const describedStream = <P extends TObject, T>({
  handle,
  recheckAccess: recheckAccess,
  ...description
}: StreamDefinition<P, T>) => {
  const { common, check } = described(description);
  const accept: Accept<StreamCall<T>> = (parts) => {
    const args = check(parts);
    return {
      run: (context, client) => handle(context, args, client),
      recheckAccess: (context) => recheckAccess(context, args),
    };
  };
  return { common, accept };
};

const described = <P extends TObject, Q extends TObject, B extends TSchema>(description: Description<P, Q, B>) => {
  const common: Omit<Route, 'reply'> = {
    ...description,
    effect: description.effect ?? (description.method === 'GET' ? 'reads' : 'changes'),
    devices: description.devices ?? null,
    params: description.params ?? nothing,
    query: description.query ?? nothing,
    body: description.body ?? nothing,
    status: description.status ?? 200,
  };
  return { common, check: partsChecker(description) };
};
