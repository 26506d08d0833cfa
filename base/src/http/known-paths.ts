import FindMyWay from 'find-my-way';
import { maxParamLength } from './http-server.ts';

/** A path that there are calls on. */
export interface KnownPath {
  readonly path: string;
  /** Its methods, for the header Allow. */
  readonly allow: string;
}

/** A request with another method is for no call at all. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Finds the path that a request is for, whichever of the usual methods it has; null: there is none. */
export type FindPath = (request: { readonly method: string; readonly url: string }) => KnownPath | null;

/**
 * For what the server's own router did not find: that every path also had a route for every wrong method took a tenth
 * of the time to start.
 */
export const knownPaths = (routes: readonly { readonly path: string; readonly method: string }[]): FindPath => {
  let router: ReturnType<typeof routerOf> | undefined;
  return ({ method, url }) => {
    if (!methods.has(method)) return null;
    // Made at the first use, which may never come.
    router ??= routerOf(routes);
    return (router.find('GET', url)?.store as KnownPath | undefined) ?? null;
  };
};

const routerOf = (routes: readonly { readonly path: string; readonly method: string }[]) => {
  const byPath = new Map<string, string[]>();
  for (const { path, method } of routes) byPath.set(path, [...(byPath.get(path) ?? []), method]);
  const router = FindMyWay({ maxParamLength });
  for (const [path, allowed] of byPath) {
    const known: KnownPath = { path, allow: allowed.sort().join(', ') };
    router.on('GET', path, () => undefined, known);
  }
  return router;
};

/** What is wrong with a call by a wrong method. */
export const methodNotAllowed = (method: string, { allow }: KnownPath): string =>
  `method ${method} is not allowed here; allowed: ${allow}`;
