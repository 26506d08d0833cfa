import { XMLParser } from 'fast-xml-parser';

/** An element as a device sent it, without namespace prefixes. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** Its own text, trimmed. */
  readonly text: string;
}

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  // The predefined entities are replaced below; nothing that a device defines itself is ever expanded.
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  cdataPropName: '#cdata',
});

/** The one element of a message. Anything that is not well-formed, or has a document type, is an error. */
export const parseXml = (message: string): Element => {
  if (message.includes('<!DOCTYPE')) throw new Error('XML with a document type, which NETCONF forbids');
  if (!isBalanced(message)) throw new Error(`no XML: ${shortened(message)}`);
  const roots = contentOf(parser.parse(message)).children;
  const [root] = roots;
  if (!root || roots.length > 1) throw new Error(`not one XML element: ${shortened(message)}`);
  return root;
};

const attribute = /\s+[^\s=<>/"']+\s*=\s*(?:"[^"<]*"|'[^'<]*')/.source;
const markup = new RegExp(
  [
    /<!--[\s\S]*?-->/.source,
    /<!\[CDATA\[(?<cdata>[\s\S]*?)\]\]>/.source,
    /<\?[\s\S]*?\?>/.source,
    /<\/(?<closed>[^\s<>/="']+)\s*>/.source,
    `<(?<opened>[^\\s<>/="'!?]+)(?:${attribute})*\\s*(?<empty>/)?>`,
    /(?<text>[^<]+)/.source,
  ].join('|'),
  'y',
);

/** The parser forgives tags that are not closed; a message that was mangled on the way must not pass for another. */
const isBalanced = (message: string): boolean => {
  const open: string[] = [];
  markup.lastIndex = 0;
  while (markup.lastIndex < message.length) {
    const found = markup.exec(message)?.groups;
    if (!found) return false;
    const { closed, opened, empty, cdata, text } = found;
    if (opened !== undefined && empty === undefined) open.push(opened);
    if (closed !== undefined && open.pop() !== closed) return false;
    if (open.length === 0 && (cdata ?? text ?? '').trim() !== '') return false;
  }
  return open.length === 0;
};

const contentOf = (nodes: unknown): { children: Element[]; text: string } => {
  const children: Element[] = [];
  let text = '';
  for (const node of Array.isArray(nodes) ? (nodes as unknown[]) : []) {
    if (typeof node !== 'object' || node === null) continue;
    for (const [name, value] of Object.entries(node)) {
      if (name === '#text') text += unescaped(String(value));
      else if (name === '#cdata') text += rawTextOf(value);
      else if (name !== ':@') {
        children.push({ name, attributes: attributesOf((node as { ':@'?: unknown })[':@']), ...contentOf(value) });
      }
    }
  }
  return { children, text: text.trim() };
};

const rawTextOf = (nodes: unknown): string =>
  (Array.isArray(nodes) ? (nodes as readonly { readonly '#text'?: unknown }[]) : [])
    .map(({ '#text': text }) => (typeof text === 'string' ? text : ''))
    .join('');

const attributesOf = (attributes: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes ?? {}).map(([name, value]) => [name, unescaped(String(value))]));

const predefined: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const unescaped = (text: string): string =>
  text.replace(/&([^;&\s]*;)?/g, (entity, body: string | undefined) => {
    const name = body?.slice(0, -1) ?? '';
    const code = /^#(?:(\d{1,7})|x([0-9a-f]{1,6}))$/i.exec(name);
    if (code) {
      const point = code[1] === undefined ? parseInt(code[2] ?? '', 16) : Number(code[1]);
      if (point <= 0x10ffff) return String.fromCodePoint(point);
    }
    const character = predefined[name];
    if (character === undefined) throw new Error(`XML with an entity that is not known: ${shortened(entity)}`);
    return character;
  });

/** Text as it may stand in an element. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const childrenOf = (element: Element | undefined, name: string): readonly Element[] =>
  element?.children.filter((child) => child.name === name) ?? [];

export const childOf = (element: Element | undefined, ...path: readonly string[]): Element | undefined =>
  path.reduce<Element | undefined>((at, name) => at?.children.find((child) => child.name === name), element);

/** Every element of this name, however deep. */
export const findAll = (element: Element, name: string): readonly Element[] =>
  element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...findAll(child, name)]);

/** What a device said, on one line and short enough for a sentence. */
export const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`;
};
