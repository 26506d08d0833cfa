import { SaxesParser } from 'saxes';

/** An element, and where it stands, so that the text around it can be kept as it is. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** Its own text, trimmed. */
  readonly text: string;
  readonly start: number;
  /** Behind its opening tag; `end` if it is empty. */
  readonly inside: number;
  readonly end: number;
}

/** An element, or whatever else has elements. */
type Parent = Pick<Element, 'children'>;

interface XmlOptions {
  /** Local: without namespace prefixes, and without the attributes that declare them. */
  readonly names?: 'written' | 'local';
}

/** No device nests more than this, so that walking the elements does not exhaust the stack. */
const deepest = 200;
const declaration = /^\s*<\?xml\s[^<>]*\?>/;

interface Open {
  name: string;
  attributes: Readonly<Record<string, string>>;
  readonly children: Open[];
  text: string;
  readonly start: number;
  inside: number;
  end: number;
}

/**
 * The elements of a text that may have several side by side, as some devices send them; at least one. Anything that is
 * not well-formed is an error, whose message says what the text is, such as "something that is not XML". So is a
 * document type: nothing that the sender defines itself is ever expanded.
 */
export const parseElements = (text: string, { names = 'written' }: XmlOptions = {}): readonly Element[] => {
  // Several elements are a fragment for the parser, which begins with none.
  const from = declaration.exec(text)?.[0].length ?? 0;
  const top: Open = { name: '', attributes: {}, children: [], text: '', start: 0, inside: 0, end: text.length };
  const open: Open[] = [top];
  let inner = top;
  const parser = new SaxesParser({ fragment: true, xmlns: false });
  const position = (): number => from + parser.position;
  parser.on('opentagstart', () => {
    if (open.length > deepest) throw new Error(`XML that is nested more than ${deepest} times`);
    const start = text.lastIndexOf('<', position() - 1);
    const element = { name: '', attributes: {}, children: [], text: '', start, inside: 0, end: 0 };
    inner.children.push(element);
    open.push(element);
    inner = element;
  });
  parser.on('opentag', ({ name, attributes }) => {
    inner.name = names === 'local' ? localName(name) : name;
    inner.attributes = names === 'local' ? withLocalNames(attributes) : attributes;
    inner.inside = position();
  });
  parser.on('closetag', () => {
    inner.end = position();
    inner.text = inner.text.trim();
    open.pop();
    inner = open.at(-1) ?? top;
  });
  parser.on('text', (part) => (inner.text += part));
  parser.on('cdata', (part) => (inner.text += inner === top ? `[${part}]` : part));
  try {
    parser.write(text.slice(from)).close();
  } catch (error) {
    throw explained(error);
  }
  if (top.text.trim() !== '' || top.children.length === 0) throw new Error(notXml);
  return top.children;
};

/** The one element of a text. */
export const parseXml = (text: string, options?: XmlOptions): Element => {
  const [root, ...more] = parseElements(text, options);
  if (!root || more.length > 0) throw new Error('not one XML element');
  return root;
};

const notXml = 'something that is not XML';

const explained = (error: unknown): Error => {
  const why = error instanceof Error ? error.message : '';
  if (why.startsWith('XML')) return new Error(why);
  if (why.includes('doctype')) return new Error('XML with a document type');
  return new Error(why.includes('entity') ? 'XML with an entity that is not known' : notXml, { cause: error });
};

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

const withLocalNames = (attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([name]) => !/^xmlns(?::|$)/.test(name))
      .map(([name, value]) => [localName(name), value]),
  );

/** A text as it may stand in an element, or between quotes of either kind. */
export const escapeXml = (text: string): string =>
  text.replaceAll(/[<>&"']/g, (character) => entities[character] ?? character);

const entities: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
};

/** The elements of this name right below. */
export const childrenOf = (parent: Parent | undefined, name: string): readonly Element[] =>
  parent?.children.filter((child) => child.name === name) ?? [];

/** The first element down this path. */
export const childOf = (parent: Parent | undefined, ...[name, ...path]: readonly string[]): Element | undefined => {
  const found = parent?.children.find((child) => child.name === name);
  return path.length === 0 ? found : childOf(found, ...path);
};

/** The text of the first element down this path, if it is there and has no elements inside. */
export const textAt = (parent: Parent | undefined, ...path: readonly string[]): string | undefined => {
  const found = childOf(parent, ...path);
  return found?.children.length === 0 ? found.text : undefined;
};

/** Every element of this name, however deep; not those inside another of that name. Case does not matter. */
export const findAll = ({ children }: Parent, name: string): readonly Element[] =>
  children.flatMap((child) => (child.name.toLowerCase() === name.toLowerCase() ? [child] : findAll(child, name)));
