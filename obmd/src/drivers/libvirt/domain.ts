/** A virtual machine, and the libvirt that runs it. */
export interface Domain {
  readonly uri: string;
  /** Its name or UUID. */
  readonly name: string;
}

/*
 * Both become arguments of a program, and libvirt reads much into a URI: with "?command=" or "?netcat=" it would run
 * what it is told. So there is a short list of what a URI may be, and neither it nor a name starts with a dash.
 */
const path = '/[\\w.+@:/-]+';
const host = '(?:[A-Za-z0-9_][\\w.-]*@)?(?:[A-Za-z0-9][A-Za-z0-9.-]*|\\[[0-9A-Fa-f:.]+\\])(?::\\d{1,5})?';
const place = '/(?:system|session)';

/** The URIs that are taken. */
export const uriPattern =
  `^(?:qemu://${place}|qemu\\+unix://${place}(?:\\?socket=${path})?` +
  `|qemu\\+ssh://${host}${place}(?:\\?keyfile=${path})?|qemu\\+tls://${host}${place}|test://(?:/default|${path}))$`;
export const uriRule =
  '"qemu:///system", "qemu+unix:///system?socket=PATH", "qemu+ssh://USER@HOST/system?keyfile=PATH" or ' +
  '"qemu+tls://HOST/system" ("session" may stand for "system")';

/** virsh takes a number for the id of whatever runs under it now, so that a name of digits alone is none. */
export const namePattern = '^(?!\\d+$)[A-Za-z0-9_][\\w.:+@-]{0,127}$';
export const nameRule =
  'the name or UUID of a domain: up to 128 letters, digits and . _ : + @ -, not digits alone, no dash first';

/** What virsh is given: it never asks for a password at a terminal. */
export const quietUri = (uri: string): string =>
  uri.startsWith('qemu+ssh:') ? `${uri}${uri.includes('?') ? '&' : '?'}no_tty=1` : uri;
