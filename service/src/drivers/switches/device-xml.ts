import * as xml from '@corral/base/xml';
import { oneLine } from './device-text.ts';

/** The one element of a text that a device sent, without namespace prefixes. */
export const parseXml = (text: string): xml.Element => read(text, xml.parseXml);

/** The elements of a text that may have several side by side, as some devices send them; at least one. */
export const parseElements = (text: string): readonly xml.Element[] => read(text, xml.parseElements);

/** An error contains the beginning of the text. */
const read = <T>(text: string, parse: (text: string, options: { readonly names: 'local' }) => T): T => {
  try {
    return parse(text, { names: 'local' });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : 'no XML'}: "${oneLine(text)}"`, { cause: error });
  }
};
