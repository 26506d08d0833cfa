import { describe, expect, it } from 'vitest';
import { childOf, escapeXml, findAll, textAt } from '@corral/base/xml';
import { parseElements, parseXml } from '../../src/drivers/switches/device-xml.ts';

describe('XML from a switch', () => {
  it('is read by local names, without comments, the predefined entities replaced', () => {
    const root = parseXml(
      '<?xml version="1.0"?>\n<!-- hi --><nc:a xmlns:nc="u" nc:m="1&quot;2" n=\'"\'><nc:b>\n &lt;x&gt; &amp;amp; &#65;&#x42;\n</nc:b></nc:a>',
    );
    expect(root).toMatchObject({ name: 'a', attributes: { m: '1"2', n: '"' } });
    expect(Object.keys(root.attributes)).toEqual(['m', 'n']);
    expect(childOf(root, 'b')?.text).toBe('<x> &amp; AB');
  });

  it('has marked text as it is', () => {
    expect(parseXml('<a>x &lt; <![CDATA[<b> & <!DOCTYPE]]>y</a>').text).toBe('x < <b> & <!DOCTYPEy');
  });

  it('has elements in their order, and is walked by paths', () => {
    const root = parseXml('<a><b/><c><d>1</d></c><b> 2 </b><C><b>3</b><b><b>4</b></b></C></a>');
    expect(root.children.map(({ name }) => name)).toEqual(['b', 'c', 'b', 'C']);
    expect(textAt(root, 'c', 'd')).toBe('1');
    expect(textAt(root, 'b')).toBe('');
    expect(textAt(root, 'c')).toBeUndefined();
    expect(textAt(root, 'c', 'e', 'f')).toBeUndefined();
    expect(findAll(root, 'B').map(({ text }) => text)).toEqual(['', '2', '3', '']);
  });

  it('may have several elements side by side, where that is expected', () => {
    expect(parseElements('<a>1</a>\r\n<b/>').map(({ name }) => name)).toEqual(['a', 'b']);
    expect(() => parseXml('<a/><b/>')).toThrow('not one XML element');
  });

  it('is written so that it is read again', () => {
    const text = `<a> & "b" 'c' ]]> &amp;`;
    expect(parseXml(`<x>${escapeXml(text)}</x>`).text).toBe(text);
  });

  it('is read as long as it comes, and refused if it is nested beyond measure', () => {
    const nested = (deep: number) => parseXml(`${'<a>'.repeat(deep)}1${'</a>'.repeat(deep)}`);
    let at: ReturnType<typeof parseXml> | undefined = nested(200);
    for (let level = 1; level < 200; level++) at = at?.children[0];
    expect(at?.text).toBe('1');
    expect(() => nested(20_000)).toThrow('XML that is nested more than 200 times');
    expect(parseXml(`<a>${'<b c="d">e</b>'.repeat(100_000)}</a>`).children).toHaveLength(100_000);
  });

  it.each([
    ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', /document type/],
    ['<a>&b;</a>', /entity/],
    ['<a>& b</a>', /not XML/],
    ['<a b="&c;"/>', /entity/],
    ['<a>&#1114112;</a>', /entity/],
  ])('brings no entities of its own: %j', (text, reason) => {
    expect(() => parseElements(text)).toThrow(reason);
  });

  it.each([
    ...['', ' ', 'garbage', '{"a": 1}', '<a', '<a>', '</a>', '<a></b>', '<a><b></a>', '<a><b></a></b>', '<a></a></a>'],
    ...[
      '<a b=c/>',
      '<a b=">',
      '<a b="<"/>',
      '<a/>tail',
      'head<a/>',
      '<a/><![CDATA[x]]>',
      '<!-- <a/>',
      '<a><![CDATA[x</a>',
    ],
  ])('is not %j', (text) => {
    expect(() => parseElements(text)).toThrow('not XML');
  });
});
