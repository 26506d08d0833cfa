/** A virtual machine, and the libvirt that runs it. */
export interface Domain {
  readonly uri: string;
  /** Its name or UUID. */
  readonly name: string;
  /** Throws if the host of that libvirt is where no connection may go. */
  readonly requirePermitted: (signal: AbortSignal) => Promise<unknown>;
}

/**
 * It becomes an argument of a program, so that it never starts with a dash. virsh takes a number for the id of
 * whatever runs under it now, so that a name of digits alone is none.
 */
export const namePattern = '^(?!\\d+$)[A-Za-z0-9_][\\w.:+@-]{0,127}$';
export const nameRule =
  'the name or UUID of a domain: up to 128 letters, digits and . _ : + @ -, not digits alone, no dash first';
