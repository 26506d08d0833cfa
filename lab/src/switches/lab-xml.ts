import { XMLParser } from 'fast-xml-parser';

/** An XML element, prefixes dropped. Changed in place: a configuration is a tree of these. */
export interface Xml {
  readonly name: string;
  text: string;
  attributes: Record<string, string>;
  children: Xml[];
}

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  parseTagValue: false,
  ignoreDeclaration: true,
});

/** The elements of an XML text. */
export const parse = (text: string): Xml[] => elementsOf(parser.parse(text) as readonly Record<string, unknown>[]);

const elementsOf = (nodes: readonly Record<string, unknown>[]): Xml[] =>
  nodes.flatMap((node) =>
    Object.entries(node)
      .filter(([name]) => name !== ':@' && name !== '#text')
      .map(([name, content]) => {
        const inner = content as readonly Record<string, unknown>[];
        return {
          name,
          text: inner
            .map(({ '#text': part }) => (typeof part === 'string' ? part : ''))
            .join('')
            .trim(),
          attributes: { ...(node[':@'] as Record<string, string> | undefined) },
          children: elementsOf(inner),
        };
      }),
  );

/** Text as it may stand in an element. */
export const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** An element as text, over many lines as devices send it. */
export const format = ({ name, text, attributes, children }: Xml): string => {
  const open = `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${value}"`)
    .join('')}`;
  if (children.length > 0) return `${open}>\n${children.map(format).join('\n')}\n</${name}>`;
  return text === '' ? `${open}/>` : `${open}>${escape(text)}</${name}>`;
};
