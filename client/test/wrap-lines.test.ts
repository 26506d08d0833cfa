import { describe, expect, it } from 'vitest';
import { wrapLines } from '../src/cli/wrap-lines.ts';
import { widthOf } from '../src/cli/table.ts';

const red = (text: string) => `\u001b[31m${text}\u001b[39m`;

describe('lines', () => {
  it.each([
    ['that fit exactly stay as they are', 'node n1 is free', 15, 'node n1 is free'],
    ['that are one column too long are broken between words', 'node n1 is free', 14, 'node n1 is\nfree'],
    ['are filled as far as they go', 'a b c d e f', 3, 'a b\nc d\ne f'],
    ['of a terminal without a width are not broken', 'node n1 is free', Infinity, 'node n1 is free'],
    ['that are empty stay', 'a\n\nb\n', 1, 'a\n\nb\n'],
    ['are each broken for themselves', 'one two\nthree four', 5, 'one\ntwo\nthree\nfour'],
    [
      'keep a word that is longer than they are',
      'see https://corral.example.org now',
      10,
      'see\nhttps://corral.example.org\nnow',
    ],
    [
      'do not begin with an empty one before a long word',
      'https://corral.example.org',
      5,
      'https://corral.example.org',
    ],
    ['lose the spaces at the end only when they are broken', 'a b  ', 5, 'a b  '],
    ['count letters that take two columns', '日本 한국 中', 9, '日本 한국\n中'],
    ['break before a letter that takes two columns and has room for one', '日本 中', 6, '日本\n中'],
    [
      'count a letter of several code points once',
      'e\u0301e\u0301 e\u0301e\u0301 👨‍👩‍👧‍👦',
      8,
      'e\u0301e\u0301 e\u0301e\u0301 👨‍👩‍👧‍👦',
    ],
    ['do not count colours', `${red('node')} n1 ${red('is free')}`, 15, `${red('node')} n1 ${red('is free')}`],
    [
      'are broken where they would be without colours',
      `${red('node')} n1 ${red('is free')}`,
      14,
      `${red('node')} n1 \u001b[31mis\nfree\u001b[39m`,
    ],
    ['go on below where they began', '  node n1 is free', 11, '  node n1\n  is free'],
    ['of a list go on below the explanation', 'n1  is free and on', 12, 'n1  is free\n    and on'],
    [
      'of a list with a wide name go on below the explanation',
      '日本  is free and on',
      14,
      '日本  is free\n      and on',
    ],
    [
      'of a list with a coloured name go on below the explanation',
      `${red('n1')}  is free and on`,
      12,
      `${red('n1')}  is free\n    and on`,
    ],
    [
      'whose explanation begins too far to the right go on at the left',
      'a long name  is free',
      14,
      'a long name\nis free',
    ],
  ])('%s', (_what, text, width, wrapped) => {
    expect(wrapLines(text, width)).toBe(wrapped);
  });

  it('are never wider than asked for, whatever the width, and keep every word', () => {
    const words = ['node', 'é日本', '👨‍👩‍👧‍👦', 'is', 'blocked:', 'e\u0301', 'port', '7'];
    const text = Array.from({ length: 60 }, (_, index) => words[(index * 5) % words.length]).join(' ');
    for (let width = 8; width < 60; width += 1) {
      const wrapped = wrapLines(text, width);
      expect(Math.max(...wrapped.split('\n').map(widthOf)), `of ${width}`).toBeLessThanOrEqual(width);
      expect(wrapped.split(/\s+/)).toEqual(text.split(' '));
    }
  });
});
