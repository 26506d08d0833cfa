import { expect, it } from 'vitest';
import { shortened, widthOf } from '../src/cli/table.ts';

it.each([
  ['plain text', 'node-12', 7],
  ['a letter with a combining mark', 'e\u0301', 1],
  ['East Asian letters', '日本 한국', 9],
  ['rare Chinese letters', '\u{20000}', 2],
  ['an emoji', '🚀', 2],
  ['a family of four', '👨‍👩‍👧‍👦', 2],
  ['a flag', '🇩🇪', 2],
  ['a key', '1️⃣', 2],
  ['a heart of text, and one of color', '❤❤️', 3],
  ['a copyright sign', '©', 1],
  ['what is not shown', 'a\u200bb', 2],
])('%s takes as many columns as a terminal gives it', (_what, text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

it('a letter is one wherever it stands in a long text', () => {
  for (let before = 250; before < 260; before += 1) {
    expect(widthOf(`${'é'.repeat(before)}👨‍👩‍👧‍👦`), `behind ${before}`).toBe(before + 2);
    expect(shortened(`${'é'.repeat(before)}👨‍👩‍👧‍👦${'é'.repeat(9)}`, before + 3)).toBe(`${'é'.repeat(before)}👨‍👩‍👧‍👦…`);
  }
});

it('a long text is measured to its end', () => {
  expect(widthOf('é日'.repeat(50_000))).toBe(150_000);
});
