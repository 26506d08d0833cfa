import type { TSchema } from '@sinclair/typebox';
import type { Credentials } from '../auth/auth-contract.ts';
import type { ConsoleSession } from '../core/console-sessions.ts';
import type { RequestContext } from '../core/request-context.ts';
import type { VncPort } from '../core/vnc.ts';
import type { RequestParts } from './request-parts.ts';

/** What a route answers with, and how to make that. */
export type Reply =
  | { readonly kind: 'none'; readonly parse: ParseRequest<Call<unknown>> }
  | {
      readonly kind: 'json';
      readonly schema: TSchema;
      readonly keep: CacheScope;
      readonly parse: ParseRequest<Call<unknown>>;
    }
  /** A serial console: bytes, or a WebSocket. */
  | { readonly kind: 'console'; readonly parse: ParseRequest<StreamCall<ConsoleSession>> }
  /** A WebSocket that is connected to a TCP port. */
  | { readonly kind: 'tunnel'; readonly parse: ParseRequest<StreamCall<VncPort>> }
  /** Server-sent events, which check for each page what the caller may see. */
  | { readonly kind: 'events'; readonly parse: ParseRequest<unknown> };

/**
 * The answer depends only on the arguments and on what events record, so it may be kept until the next event: one for
 * everyone, or one for each caller. null: it is computed every time.
 */
export type CacheScope = 'everyone' | 'caller' | null;

/** Checks the parts of a request; throws unless all of them fit. */
export type ParseRequest<T> = (parts: RequestParts) => T;

/** A call whose arguments have been checked. */
export interface Call<T> {
  readonly run: (context: RequestContext, client: Client) => Promise<T>;
}

/** A call whose answer goes on after it was begun. */
export interface StreamCall<T> extends Call<T> {
  /** Throws once the caller may not have the answer any more. Asked again and again. */
  readonly recheckAccess: (context: RequestContext) => Promise<unknown>;
}

/** Who waits for the answer, for the few calls to which that matters. */
export interface Client {
  /** Aborts when the client is gone. */
  readonly gone: () => AbortSignal;
  readonly wantsWebSocket: boolean;
  /** Where the request comes from: behind a trusted proxy, what the proxy says. */
  readonly address: string;
  /** What the request says of itself, for calls that sign somebody in. */
  readonly credentials: Credentials;
  /** Adds a header to the answer. */
  readonly setHeader: (name: string, value: string) => void;
  /** Has the answer be 202, of a call that declares it (`mayWait`). */
  readonly accepted: () => void;
}

/** The media types of answers that are not JSON. */
export const mediaTypes = {
  console: 'application/octet-stream',
  tunnel: 'application/octet-stream',
  events: 'text/event-stream',
} as const satisfies Partial<Record<Reply['kind'], string>>;

/** Does the answer go on after it was begun? */
export const isStream = ({ kind }: Reply): boolean => Object.hasOwn(mediaTypes, kind);
