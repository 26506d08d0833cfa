/*
 * What devices say they are, in one spelling whichever way they were asked. What is no number that a vendor gives
 * away once (empty, "N/A", zeros) says nothing.
 */

const isSerial = (text: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9./-]{3,63}$/.test(text) && !/^(0+|n\/?a|none|unknown)$/i.test(text);

/** A vendor's number as an identity; null: it is none. */
export const serialOf = (vendor: string, number: string): string | null =>
  isSerial(number.trim()) ? `${vendor} ${number.trim().toUpperCase()}` : null;

/** Virtual switches of Arista have no serial number; they have a MAC address of their own. */
export const aristaIdentity = (serial: string, mac: string): string | null =>
  serialOf('arista', serial) ?? serialOf('arista', mac.replaceAll(/[^0-9A-Fa-f]/g, ''));
