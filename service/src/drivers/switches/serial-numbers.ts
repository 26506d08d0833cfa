import { oneLine } from './device-text.ts';

/*
 * What devices say they are, in one spelling whichever way they were asked. What is no number that a vendor gives
 * away once (empty, "N/A", zeros) says nothing.
 */

const isSerial = (text: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9./-]{3,63}$/.test(text) && !/^(0+|n\/?a|none|unknown)$/i.test(text);

/** A vendor's number as an identity; null: it is none. */
export const serialOf = (vendor: string, number: string): string | null =>
  isSerial(number.trim()) ? `${vendor} ${number.trim().toUpperCase()}` : null;

/** Model and software in one line; null: the device tells neither. */
export const aboutLine = (vendor: string, model: string, software: string, version: string): string | null => {
  const parts = [
    ...(model.trim() === '' ? [] : [`${vendor} ${model.trim()}`]),
    ...(version.trim() === '' ? [] : [`${software} ${version.trim()}`]),
  ];
  return parts.length === 0 ? null : oneLine(parts.join(', '));
};

/** Virtual switches of Arista have no serial number; they have a MAC address of their own. */
export const aristaIdentity = (serial: string, mac: string): string | null =>
  serialOf('arista', serial) ?? serialOf('arista', mac.replaceAll(/[^0-9A-Fa-f]/g, ''));

/**
 * The service tag of the unit that answers, from the inventory of a Dell switch with OS9 or OS10: it stands in the row
 * with the star, after the id of the piece part (`CN-0K0K0K-28298-713-0026`) and, in OS9, its revision.
 */
export const serviceTagIn = (inventory: string): string =>
  /^\* *\d+ .* [A-Z]{2}-[A-Z0-9]{6}-[A-Z0-9]{5}-[A-Z0-9]{3}-[A-Z0-9]{4} +(?:[A-Z]\d\d +)?([A-Z0-9]{7}) /m.exec(
    inventory,
  )?.[1] ?? '';
