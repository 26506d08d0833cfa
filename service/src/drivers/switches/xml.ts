import { shortened } from './words.ts';

/** An element as a device sent it, without namespace prefixes. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** Its own text, trimmed. */
  readonly text: string;
}

/*
 * Read here and not by a library: those at hand forgive tags that are not closed, and a message that was mangled
 * on its way must not pass for another. Nothing that a device defines itself is ever expanded.
 */

const attribute = /\s+([^\s=<>/"']+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/.source;
const markup = new RegExp(
  [
    /<!--[\s\S]*?-->/.source,
    /<!\[CDATA\[(?<marked>[\s\S]*?)\]\]>/.source,
    /<\?[\s\S]*?\?>/.source,
    /<\/(?<closed>[^\s<>/="']+)\s*>/.source,
    `<(?<opened>[^\\s<>/="'!?]+)(?<settings>(?:${attribute})*)\\s*(?<empty>/)?>`,
    /(?<text>[^<]+)/.source,
  ].join('|'),
  'y',
);

/** No device nests more than this, so that walking the elements does not exhaust the stack. */
const deepest = 200;

/** The one element of a text. Anything that is not well-formed, or has a document type, is an error. */
export const parseXml = (text: string): Element => {
  const [root, ...more] = parseElements(text);
  if (!root || more.length > 0) throw new Error(`not one XML element: "${shortened(text)}"`);
  return root;
};

interface Open {
  readonly tag: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** The elements of a text that may have several side by side, as some devices send them; at least one. */
export const parseElements = (text: string): readonly Element[] => {
  let inner: Open = { tag: '', name: '', attributes: {}, children: [], text: '' };
  const outer: Open[] = [];
  for (markup.lastIndex = 0; markup.lastIndex < text.length;) {
    const at = markup.lastIndex;
    const found = markup.exec(text)?.groups;
    if (!found) throw text.startsWith('<!DOCTYPE', at) ? new Error('XML with a document type') : notXml(text);
    const { opened, settings = '', empty, closed, marked, text: words = '' } = found;
    if (opened !== undefined) {
      const element = {
        tag: opened,
        name: localName(opened),
        attributes: attributesIn(settings),
        children: [],
        text: '',
      };
      inner.children.push(element);
      if (empty !== undefined) continue;
      if (outer.length === deepest) throw new Error(`XML that is nested more than ${deepest} times`);
      outer.push(inner);
      inner = element;
    } else if (closed === undefined) inner.text += marked ?? unescaped(words);
    else {
      const around = outer.pop();
      if (!around || inner.tag !== closed) throw notXml(text);
      inner.text = inner.text.trim();
      inner = around;
    }
  }
  if (outer.length > 0 || inner.text.trim() !== '' || inner.children.length === 0) throw notXml(text);
  return inner.children;
};

const notXml = (text: string): Error => new Error(`something that is not XML: "${shortened(text)}"`);

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

const attributesIn = (settings: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...settings.matchAll(new RegExp(attribute, 'g'))]
      .filter(([, name = '']) => !/^xmlns(?::|$)/.test(name))
      .map(([, name = '', quoted, single = '']) => [localName(name), unescaped(quoted ?? single)]),
  );

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

/** The elements of this name right below. */
export const childrenOf = (element: Element | undefined, name: string): readonly Element[] =>
  element?.children.filter((child) => child.name === name) ?? [];

/** The first element down this path. */
export const childOf = (element: Element | undefined, ...path: readonly string[]): Element | undefined =>
  path.reduce<Element | undefined>((at, name) => at?.children.find((child) => child.name === name), element);

/** The text of the first element down this path, if it is there and has no elements inside. */
export const textAt = (element: Element | undefined, ...path: readonly string[]): string | undefined => {
  const found = childOf(element, ...path);
  return found?.children.length === 0 ? found.text : undefined;
};

/** Every element of this name, however deep; not those inside another of that name. Case does not matter. */
export const findAll = ({ children }: Pick<Element, 'children'>, name: string): readonly Element[] =>
  children.flatMap((child) => (child.name.toLowerCase() === name.toLowerCase() ? [child] : findAll(child, name)));
