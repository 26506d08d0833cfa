import { expect, it } from 'vitest';
import { childrenOf, escapeXml, parseXml, textIn, unescapeXml } from '../../src/libvirt/xml.ts';

it('any text survives being put into a document', () => {
  for (const text of [`a<b>&c"d'e`, '&amp;', ']]>', '&#65;', '']) {
    const xml = `<a b='${escapeXml(text)}'>${escapeXml(text)}</a>`;
    const element = parseXml(xml);
    expect(unescapeXml(element.attributes['b'] ?? '')).toBe(text);
    expect(textIn(xml, element)).toBe(text);
  }
});

it('characters may be written as numbers; what is none stays', () => {
  expect(unescapeXml('&#x41;&#66;&apos;')).toBe("AB'");
  expect(unescapeXml('&nbsp;&#x110000;& &')).toBe('&nbsp;&#x110000;& &');
});

it('the text of an element is what stands between its tags, and there may be none', () => {
  const xml = '<a> <b>one</b><c/><d></d></a>';
  const texts = ['b', 'c', 'd', 'e'].map((name) => textIn(xml, childrenOf(parseXml(xml), name)[0]));
  expect(texts).toEqual(['one', '', '', '']);
});
