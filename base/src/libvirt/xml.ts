/** An element and where it stands, so that the text around it can be kept as it is. */
export interface Element {
  /** With its prefix. */
  readonly name: string;
  /** As they are written. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly start: number;
  /** Behind its opening tag; `end` if it is empty. */
  readonly inside: number;
  readonly end: number;
}

const attribute = /\s+([^\s=<>/"']+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/.source;
const markup = new RegExp(
  [
    /<!--[^]*?-->/.source,
    /<!\[CDATA\[[^]*?\]\]>/.source,
    /<\?[^]*?\?>/.source,
    /<\/(?<closed>[^\s<>/="']+)\s*>/.source,
    `<(?<opened>[^\\s<>/="'!?]+)(?<settings>(?:${attribute})*)\\s*(?<empty>/)?>`,
    /[^<]+/.source,
  ].join('|'),
  'y',
);

/** libvirt's own documents nest a tenth of this. */
const deepest = 200;

/** The one element of a text; an error if it is not well-formed. */
export const parseXml = (text: string): Element => {
  const notXml = new Error('libvirt returned invalid XML');
  interface Open extends Element {
    children: Element[];
    inside: number;
    end: number;
  }
  const top: Open = { name: '', attributes: {}, children: [], start: 0, inside: 0, end: text.length };
  const open: Open[] = [top];
  for (markup.lastIndex = 0; markup.lastIndex < text.length;) {
    const start = markup.lastIndex;
    const found = markup.exec(text)?.groups;
    const inner = open.at(-1);
    if (!found || !inner) throw notXml;
    const end = markup.lastIndex;
    if (found['opened'] !== undefined) {
      const attributes = attributesIn(found['settings'] ?? '');
      const element: Open = { name: found['opened'], attributes, children: [], start, inside: end, end };
      inner.children.push(element);
      if (found['empty'] === undefined) open.push(element);
      if (open.length > deepest) throw notXml;
    } else if (found['closed'] !== undefined) {
      if (inner === top || inner.name !== found['closed']) throw notXml;
      inner.end = end;
      open.pop();
    }
  }
  const [root, ...more] = top.children;
  if (!root || more.length > 0 || open.length !== 1) throw notXml;
  return root;
};

const attributesIn = (settings: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...settings.matchAll(new RegExp(attribute, 'g'))].map(([, name = '', quoted, single = '']) => [
      name,
      quoted ?? single,
    ]),
  );

export const childrenOf = (element: Element | undefined, name: string): readonly Element[] =>
  element?.children.filter((child) => child.name === name) ?? [];

/** Puts a text in place of what stands from `start` to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with edits that do not overlap. */
export const edited = (text: string, edits: readonly Edit[]): string => {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, text: put } of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    pieces.push(text.slice(at, start), put);
    at = end;
  }
  return [...pieces, text.slice(at)].join('');
};

/** What stands between the tags of an element; its markup is not resolved. */
export const textIn = (text: string, element: Element | undefined): string => {
  if (!element || element.inside >= element.end) return '';
  return unescapeXml(text.slice(element.inside, text.lastIndexOf('</', element.end - 1)).trim());
};

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** What a text or an attribute means. */
export const unescapeXml = (written: string): string =>
  written.replaceAll(/&(?:#x([0-9A-Fa-f]{1,6})|#(\d{1,7})|(lt|gt|quot|apos|amp));/g, (whole, hex, decimal, name) => {
    if (typeof name === 'string') return entities[name] ?? whole;
    const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0x10_ff_ff ? whole : String.fromCodePoint(code);
  });

/** A text as it may stand in an element, or between quotes of either kind. */
export const escapeXml = (text: string): string =>
  text.replaceAll(/[<>&"']/g, (character) => {
    const [name] = Object.entries(entities).find(([, meant]) => meant === character) ?? [];
    return name === undefined ? character : `&${name};`;
  });
