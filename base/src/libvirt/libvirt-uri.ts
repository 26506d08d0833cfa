/*
 * A URI becomes an argument of a program, and libvirt reads much into it: with "?command=" or "?netcat=" it would run
 * what it is given. So there is a short list of what a URI may be, and it never starts with a dash.
 */
const path = '/[\\w.+@:/-]+';
const host = '(?:[A-Za-z0-9_][\\w.-]*@)?(?:[A-Za-z0-9][A-Za-z0-9.-]*|\\[[0-9A-Fa-f:.]+\\])(?::\\d{1,5})?';
const place = '/(?:system|session)';

/** The URIs of a libvirt that are taken. */
export const uriPattern =
  `^(?:qemu://${place}|qemu\\+unix://${place}(?:\\?socket=${path})?` +
  `|qemu\\+ssh://${host}${place}(?:\\?keyfile=${path})?|qemu\\+tls://${host}${place}|test://(?:/default|${path}))$`;
export const uriRule =
  '"qemu:///system", "qemu+unix:///system?socket=PATH", "qemu+ssh://USER@HOST/system?keyfile=PATH" or ' +
  '"qemu+tls://HOST/system" ("session" may stand for "system")';

/** Is the hypervisor the host that this runs on? */
export const isLocal = (uri: string): boolean => /^qemu(?:\+unix)?:\/\/\//.test(uri);

/** The host that a URI names; null: there is none in it. */
export const hostOf = (uri: string): string | null =>
  /^[^/]+:\/\/(?:[^@/]*@)?(\[[^\]]+\]|[^/:]+)/.exec(uri)?.[1] ?? null;

/** What virsh is given: it never asks for a password at a terminal. */
export const quietUri = (uri: string): string =>
  uri.startsWith('qemu+ssh:') ? `${uri}${uri.includes('?') ? '&' : '?'}no_tty=1` : uri;
