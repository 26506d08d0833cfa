import { describe, expect, it } from 'vitest';
import { layOut, widthOf, wrap } from '../src/cli/table.ts';

const sentence = 'blocked: the switch port of nic eth0 was seen to carry something, which is not recorded';
const rows = [
  ['node-1', 'astronomy', 'free', 'gpus=4, rack=r1'],
  ['node-2', '', sentence, 'gpus=8'],
];
const headings = ['node', 'project', 'state', 'metadata'];
const wordsIn = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split(/\s+/)).filter((word) => word !== '');

describe('a table', () => {
  it.each([40, 60, 80, 120])('of %i columns has every word whole, and no line that is longer', (width) => {
    const { heading, lines } = layOut(headings, rows, width);
    expect([...heading, ...lines].every((line) => widthOf(line) <= width)).toBe(true);
    const shown = wordsIn([...heading, ...lines]);
    expect(shown.sort()).toEqual(wordsIn([...headings, ...rows.flat()]).sort());
  });

  it('keeps the words of a cell in its column', () => {
    const { heading, lines } = layOut(headings, rows, 60);
    const column = heading[0]?.indexOf('state') ?? 0;
    const end = heading[0]?.indexOf('metadata') ?? 0;
    const cell = lines
      .slice(1)
      .map((line) => line.slice(column, end).trim())
      .join(' ');
    expect(cell.trim()).toBe(sentence);
  });

  it('shows each row below the other where the longest words do not fit beside each other', () => {
    const { heading, lines } = layOut(
      ['node', 'id'],
      [
        ['a'.repeat(30), 'b'.repeat(30)],
        ['n', '1'],
      ],
      40,
    );
    expect(heading).toEqual([]);
    expect(lines).toEqual([`node  ${'a'.repeat(30)}`, `id    ${'b'.repeat(30)}`, '', 'node  n', 'id    1']);
  });

  it('is as wide as it takes where nobody says how wide it may be', () => {
    expect(layOut(headings, rows, null).lines).toHaveLength(2);
  });

  it('a long text is wrapped to its end', () => {
    expect(wrap('é日 '.repeat(20_000), 30).join(' ').split(' ')).toHaveLength(20_000);
  });
});
