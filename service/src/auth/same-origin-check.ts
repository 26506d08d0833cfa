import { unauthorized } from '../core/corral-error.ts';
import type { Credentials } from './auth-contract.ts';

/*
 * Bodies are taken whatever their content type says, so a form on any page could send one, and the browser would send
 * our cookie along. A page cannot set `Origin` and `Sec-Fetch-Site`: the browser says there who is asking.
 */

/** Does the request come from a page of this service, or, if it only looks, from the person at the browser? */
const isSameOrigin = (credentials: Credentials): boolean => {
  const site = credentials.header('sec-fetch-site');
  const origin = credentials.header('origin');
  const onlyLooks = /^(GET|HEAD)$/.test(credentials.method) && credentials.header('upgrade') === undefined;
  if (site !== undefined) return site === 'same-origin' || (onlyLooks && site === 'none');
  if (origin !== undefined) return origin === credentials.origin;
  return onlyLooks;
};

/** Requires that the request comes from a page of this service. */
export const requireSameOrigin = (credentials: Credentials): void => {
  if (isSameOrigin(credentials)) return;
  const origin = credentials.header('origin');
  throw unauthorized(
    origin === undefined
      ? 'a session is accepted only from pages of this service, and the request does not show that it comes from one; scripts use a token'
      : `a session is accepted only from pages of this service (${credentials.origin}), and this page is from ${origin}; behind a proxy set public_url, or trusted_proxies`,
  );
};
