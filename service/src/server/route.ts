import { type Static, type TObject, type TSchema, type TString, Type } from '@sinclair/typebox';
import type { ConsoleSession } from '../core/console-sessions.ts';
import type { DeviceUse } from '../core/device-calls.ts';
import type { RequestContext } from '../core/request-context.ts';
import type { VncPort } from '../core/vnc.ts';
import { Label } from '../schema/labels.ts';
import { type CheckedParts, type Nothing, nothing, partsChecker, type PartSchemas } from './request-parts.ts';
import type { ParseRequest, Call, Client, CacheScope, Reply, StreamCall } from './route-reply.ts';

/** Who may make a call at all; what they may do with it is the core's decision. */
type Access =
  /** Callers without credentials too. */
  | 'anyone'
  /** The same in every installation; a session that has ended counts as none. */
  | 'visitor'
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
  /** It may also answer with 202: what was asked for is queued. */
  readonly mayWait: boolean;
  readonly reply: Reply;
}

type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** Method and path: `GET /node/:node`. */
type Endpoint = `${Method} /${string}`;

type ArgumentIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ArgumentIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type LabelsIn<E extends Endpoint> = TObject<Record<ArgumentIn<E>, TString>>;

/** What a definition says of every kind of call. Without `params` the arguments in the path are labels. */
interface Description<E extends Endpoint, P extends TObject, Q extends TObject, B extends TSchema> extends PartSchemas<
  P,
  Q,
  B
> {
  readonly name: string;
  readonly endpoint: E;
  readonly summary: string;
  readonly access: Access;
  /** By default a GET reads, and everything else changes something. */
  readonly effect?: 'reads' | 'changes';
  readonly devices?: DeviceUse;
  /** By default what `access` says. */
  readonly auth?: string;
  readonly status?: 202;
  readonly mayWait?: true;
}

type Handle<P extends TObject, Q extends TObject, B extends TSchema, T> = (
  context: RequestContext,
  args: CheckedParts<P, Q, B>,
  client: Client,
) => Promise<T>;

interface Definition<
  E extends Endpoint,
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  R extends TSchema,
> extends Description<E, P, Q, B> {
  /** What the answer looks like; absent: it is empty. */
  readonly reply?: R;
  readonly cache?: TSchema extends R ? never : Exclude<CacheScope, null>;
  readonly handle: Handle<P, Q, B, TSchema extends R ? unknown : DeepReadonly<Static<R>>>;
}

/** Makes a route that answers with JSON, or with nothing, and whose handler is typed by its schemas. */
export const route = <
  E extends Endpoint,
  P extends TObject = LabelsIn<E>,
  Q extends TObject = Nothing,
  B extends TSchema = Nothing,
  R extends TSchema = TSchema,
>({
  reply: schema,
  cache,
  handle,
  ...description
}: Definition<E, P, Q, B, R>): Route => {
  const { common, check } = described(description);
  const accept: ParseRequest<Call<unknown>> = (parts) => {
    const args = check(parts);
    return { run: (context, client) => handle(context, args, client) };
  };
  return {
    ...common,
    reply:
      schema === undefined
        ? { kind: 'none', parse: accept }
        : { kind: 'json', schema, keep: cache ?? null, parse: accept },
  };
};

interface StreamDefinition<E extends Endpoint, P extends TObject, T> extends Description<E, P, Nothing, Nothing> {
  readonly handle: Handle<P, Nothing, Nothing, T>;
  readonly recheckAccess: (context: RequestContext, args: { readonly params: Static<P> }) => Promise<unknown>;
}

/** Makes a route that answers with a serial console. */
export const consoleRoute = <E extends Endpoint, P extends TObject = LabelsIn<E>>(
  definition: StreamDefinition<E, P, ConsoleSession>,
): Route => {
  const { common, parse: accept } = describedStream(definition);
  return { ...common, reply: { kind: 'console', parse: accept } };
};

/** Makes a route that answers with a WebSocket, connected to the endpoint that its handler finds. */
export const tunnelRoute = <E extends Endpoint, P extends TObject = LabelsIn<E>>(
  definition: StreamDefinition<E, P, VncPort>,
): Route => {
  const { common, parse: accept } = describedStream(definition);
  return { ...common, reply: { kind: 'tunnel', parse: accept } };
};

/** Makes a route that answers with the events that the caller may see. */
export const eventsRoute = (description: Description<Endpoint, Nothing, Nothing, Nothing>): Route => {
  const { common, check } = described(description);
  return { ...common, reply: { kind: 'events', parse: check } };
};

const describedStream = <E extends Endpoint, P extends TObject, T>({
  handle,
  recheckAccess,
  ...description
}: StreamDefinition<E, P, T>) => {
  const { common, check } = described(description);
  const accept: ParseRequest<StreamCall<T>> = (parts) => {
    const args = check(parts);
    return {
      run: (context, client) => handle(context, args, client),
      recheckAccess: (context) => recheckAccess(context, args),
    };
  };
  return { common, parse: accept };
};

/** Who may call, unless a route says more. */
const whoMayCall = {
  anyone: 'Everybody',
  visitor: 'Everybody',
  'sign-in': 'Everybody',
  user: 'Any user',
  admin: 'Admin',
} as const satisfies Record<Access, string>;

const labelsIn = (path: string): TObject =>
  Type.Object(Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, Label])), {
    additionalProperties: false,
  });

const described = <E extends Endpoint, P extends TObject, Q extends TObject, B extends TSchema>({
  endpoint,
  ...description
}: Description<E, P, Q, B>) => {
  const [method, path] = endpoint.split(' ') as [Method, string];
  // `LabelsIn` is what P is without `params`.
  const params = description.params ?? (labelsIn(path) as P);
  const common: Omit<Route, 'reply'> = {
    ...description,
    method,
    path,
    params,
    effect: description.effect ?? (method === 'GET' ? 'reads' : 'changes'),
    devices: description.devices ?? null,
    auth: description.auth ?? whoMayCall[description.access],
    query: description.query ?? nothing,
    body: description.body ?? nothing,
    status: description.status ?? 200,
    mayWait: description.mayWait ?? false,
  };
  return { common, check: partsChecker({ ...description, params }) };
};
