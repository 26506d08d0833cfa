import { oneLine } from '../device-text.ts';
import { type Element, findAll } from '@corral/base/xml';
import { parseElements } from '../device-xml.ts';

/** Reads an answer in XML, which may be several elements side by side: they are the children of what is given. */
export const documentIn = (text: string): Pick<Element, 'children'> => {
  try {
    return { children: parseElements(text) };
  } catch (error) {
    throw new Error(`the switch answers ${error instanceof Error ? error.message : 'no XML'}`, { cause: error });
  }
};

/** The device's own words in an error document; undefined if it has none. */
export const errorMessageIn = (text: string): string | undefined => {
  try {
    const messages = findAll(documentIn(text), 'error-message').filter(({ children }) => children.length === 0);
    return messages.length === 0 ? undefined : oneLine(messages.map((message) => message.text).join('; '));
  } catch {
    return undefined;
  }
};
