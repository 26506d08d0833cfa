import { elsewhere } from './redfish-errors.ts';

/** The path of an address that a BMC gave, on the BMC itself; null if it is on another host, or no address. */
export const pathOn = (origin: string, address: string): string | null => {
  if (!URL.canParse(address, origin)) return null;
  const url = new URL(address, origin);
  return url.origin === origin ? `${url.pathname}${url.search}` : null;
};

/** The same, where there is no way on without it. `what` names it in a sentence. */
export const ownPath = (origin: string, address: string, what: string): string => {
  const path = pathOn(origin, address);
  if (path === null) throw elsewhere(what);
  return path;
};
