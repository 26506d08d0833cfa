import { describe, expect, it } from 'vitest';
import { edited } from '../src/libvirt/libvirt-xml.ts';
import { childOf, childrenOf, type Element, escapeXml, parseElements, parseXml } from '../src/xml.ts';

const allIn = (element: Element): readonly Element[] => [element, ...element.children.flatMap(allIn)];

describe('an XML document', () => {
  it('gives back any text that was put into it', () => {
    for (const text of [`a<b>&c"d'e`, '&amp;', ']]>', '&#65;', '']) {
      const element = parseXml(`<a b='${escapeXml(text)}'>${escapeXml(text)}</a>`);
      expect([element.attributes['b'], element.text]).toEqual([text, text]);
    }
  });

  it('has names with their prefixes, or without them and what declares them', () => {
    const text = `<q:a xmlns:q='u' xmlns='v' q:b='1' c='2'/>`;
    expect(parseXml(text)).toMatchObject({
      name: 'q:a',
      attributes: { 'xmlns:q': 'u', xmlns: 'v', 'q:b': '1', c: '2' },
    });
    const { name, attributes } = parseXml(text, { names: 'local' });
    expect([name, attributes]).toEqual(['a', { b: '1', c: '2' }]);
  });

  it('tells where its elements stand', () => {
    const text = `<?xml version='1.0'?>\r\n<!-- <x/> -->\n<ä:a\r\n b='>'><b/>𝄞<c\n></c ><![CDATA[<d>]]><b >é</b></ä:a>\n`;
    const root = parseXml(text);
    const shown = allIn(root).map(({ start, inside, end }) => [text.slice(start, inside), text.slice(start, end)]);
    expect(shown).toEqual([
      [`<ä:a\r\n b='>'>`, text.slice(text.indexOf('<ä'), -1)],
      ['<b/>', '<b/>'],
      ['<c\n>', '<c\n></c >'],
      ['<b >', '<b >é</b>'],
    ]);
    const [first] = childrenOf(root, 'b');
    expect(first?.inside).toBe(first?.end);
    const put = childrenOf(root, 'b').map(({ start, end }) => ({ start, end, text: '!' }));
    expect(edited(text, put)).toBe(text.replace('<b/>', '!').replace('<b >é</b>', '!'));
  });

  it.each([
    `<a b='1' b='2'/>`,
    '<a>]]></a>',
    '<a>\u0000</a>',
    '<a>&#0;</a>',
    '<a><?xml version="1.0"?></a>',
    '<a b="1"c="2"/>',
    '<1/>',
    '<a/>&amp;',
    '<a/><![CDATA[ ]]>',
  ])('is not %j', (text) => {
    expect(() => parseElements(text)).toThrow(/XML/);
  });

  it('is never expanded: what defines entities is refused before they are used', () => {
    const bomb = `<!DOCTYPE a [<!ENTITY a0 "x">${Array.from(
      { length: 30 },
      (_, i) => `<!ENTITY a${i + 1} "&a${i};&a${i};">`,
    ).join('')}]><a>&a30;</a>`;
    expect(() => parseXml(bomb)).toThrow('document type');
    expect(() => parseXml('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>')).toThrow('document type');
  });

  it('takes time in proportion to its length, whatever it holds', () => {
    const long = 400_000;
    const texts = [
      ...['<', '<a ', '<a b=', `<a b='`, '<!--', '<![CDATA[', '<?', '&', '<!DOCTYPE '].map((start) => `<r>${start}`),
      '<r>',
    ];
    const begun = performance.now();
    for (const start of texts) {
      for (const part of ['<', ' ', 'a', '&', `'`, '-', ']', '=', '&lt;', `<a b='c'>d</a>`]) {
        try {
          parseElements(start + part.repeat(long / part.length));
        } catch {
          // Most are none.
        }
      }
    }
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it('has a first element down a path, or none', () => {
    const root = parseXml('<a><b><c>1</c></b><b><c>2</c></b></a>');
    expect([childOf(root, 'b', 'c')?.text, childOf(root, 'c', 'b')]).toEqual(['1', undefined]);
  });
});
