/*
 * Port names contain slashes, and existing clients send them raw. A router sees path segments, so the
 * name's segments are joined into one, with the slashes encoded, before routing.
 */

const portPath = /^(\/v0\/switch\/[^/?]+\/port\/)([^?]*)(\?.*)?$/s;
const verbs = ['/connect_nic', '/detach_nic', '/revert'];

/** A raw trailing `/connect_nic`, `/detach_nic` or `/revert` is the call; an encoded one belongs to the name. */
export const joinPortName = (url: string): string => {
  const [, head, rest, query = ''] = portPath.exec(url) ?? [];
  if (head === undefined || rest === undefined) return url;
  const verb = verbs.find((candidate) => rest.endsWith(candidate) && rest.length > candidate.length) ?? '';
  const name = rest.slice(0, rest.length - verb.length);
  return `${head}${name.replaceAll('/', '%2F')}${verb}${query}`;
};
