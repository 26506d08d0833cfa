/*
 * The daemon inside the service is in whichever of its processes has the BMCs, so the address of a node there names no
 * machine. It is an http address like others, under a name that no resolver ever finds (RFC 6761): what does not know
 * it cannot send anything anywhere.
 */

/** What the address of every node there begins with. */
export const insideOrigin = 'http://inside.invalid';

/** The address of a node at the daemon inside the service. */
export const insideUri = (node: string): string => `${insideOrigin}/node/${encodeURIComponent(node)}`;

export const isInside = (uri: string): boolean => uri.startsWith(`${insideOrigin}/`);

/** Such an address at the place where the daemon is now. */
export const insideAt = (url: string, uri: string): string => `${url}${uri.slice(insideOrigin.length)}`;

/** An address that leads to the daemon inside the service, without the place; any other as it is. */
export const withoutPlace = (uri: string, places: readonly string[]): string => {
  const place = places.find((one) => uri.startsWith(`${one}/`));
  return place === undefined ? uri : `${insideOrigin}${uri.slice(place.length)}`;
};
