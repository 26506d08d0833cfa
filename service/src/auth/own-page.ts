import { unauthorized } from '../core/errors.ts';
import type { Credentials } from './contract.ts';

/*
 * Bodies are taken whatever their content type says, so a form on any page could send one, and the browser would send
 * our cookie along. A page cannot set `Origin` and `Sec-Fetch-Site`: the browser says there who is asking.
 */

/** Does the request come from a page of this service, or, if it only looks, from the person at the browser? */
const isFromOwnPage = (credentials: Credentials): boolean => {
  const site = credentials.header('sec-fetch-site');
  const origin = credentials.header('origin');
  const onlyLooks = /^(GET|HEAD)$/.test(credentials.method) && credentials.header('upgrade') === undefined;
  if (site !== undefined) return site === 'same-origin' || (onlyLooks && site === 'none');
  if (origin !== undefined) return origin === credentials.origin;
  return onlyLooks;
};

/** Requires that the request comes from a page of this service. */
export const requireOwnPage = (credentials: Credentials): void => {
  if (isFromOwnPage(credentials)) return;
  const origin = credentials.header('origin');
  throw unauthorized(
    origin === undefined
      ? 'a session counts only for pages of this service, and the browser does not say that one asks; scripts use a token'
      : `a session counts only for pages of this service, which is at ${credentials.origin} as far as it knows, and this is one of ${origin}; behind a proxy set public_url, or trusted_proxies`,
  );
};
