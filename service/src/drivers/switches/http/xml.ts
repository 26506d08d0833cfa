import { XMLParser } from 'fast-xml-parser';

/*
 * Numbers stay text and namespaces go: what is read here is known by its local name. Documents that bring
 * entities of their own are refused, so the parser only ever replaces the five of XML and numbered ones.
 */
const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  htmlEntities: true,
});

/** Reads XML, also several elements side by side as some devices send them; the answer holds those elements. */
export const parseXml = (text: string): unknown => {
  const bare = text.replace(/^\s*<\?xml[^>]*\?>/, '');
  if (/<!(?:DOCTYPE|ENTITY)/i.test(bare)) throw new Error('the switch answers XML with entities of its own');
  if (!isWellFormed(bare)) throw new Error(`the switch answers something that is not XML: "${shortened(text)}"`);
  const parsed: unknown = parser.parse(`<answer>${bare}</answer>`);
  return childrenOf(parsed, 'answer')[0];
};

const tag = /<(\/?)([\w:.-]+)(?:\s[^<>]*?)?(\/?)>/g;

/** The parser takes whatever it is given: that every tag has its end is seen to here. */
const isWellFormed = (text: string): boolean => {
  const xml = text.replaceAll(/<!--.*?-->|<!\[CDATA\[.*?\]\]>/gs, '').trimStart();
  const open: (string | undefined)[] = [];
  for (const [, end, name, empty] of xml.matchAll(tag)) {
    if (end !== '' && open.pop() !== name) return false;
    if (end === '' && empty === '') open.push(name);
  }
  return open.length === 0 && xml.startsWith('<') && !xml.replaceAll(tag, '').includes('<');
};

/** The elements of this name right below; element text is a string, an empty element the empty string. */
export const childrenOf = (node: unknown, name: string): readonly unknown[] => {
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return [];
  const found: unknown = Reflect.get(node, name);
  return Array.isArray(found) ? found : [found];
};

/** The first element down this path. */
export const elementAt = (node: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => childrenOf(at, name)[0], node);

/** The text of the first element down this path, if it is there and has no elements inside. */
export const textAt = (node: unknown, ...path: readonly string[]): string | undefined => {
  const found = elementAt(node, ...path);
  return typeof found === 'string' ? found.trim() : undefined;
};

/** Every element of this name, however deep; not those inside another of that name. Case does not matter. */
export const elementsNamed = (node: unknown, name: string): readonly unknown[] => {
  if (Array.isArray(node)) return node.flatMap((one: unknown) => elementsNamed(one, name));
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) =>
    key.toLowerCase() === name.toLowerCase() ? [value].flat() : elementsNamed(value, name),
  );
};

/** Text that can stand between tags. */
export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The device's own words in an error document; undefined if it has none. */
export const errorMessageIn = (text: string): string | undefined => {
  try {
    const messages = elementsNamed(parseXml(text), 'error-message').filter((one) => typeof one === 'string');
    return messages.length === 0 ? undefined : shortened(messages.join('; '));
  } catch {
    return undefined;
  }
};

/** A device's text as it can stand in a sentence: one line, not too long. */
export const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`;
};
