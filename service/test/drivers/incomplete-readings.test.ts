import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ShownPort } from '../../src/drivers/switches/cli/dialect.ts';
import { vde } from '../../src/drivers/switches/cli/vde-dialect.ts';
import { carriedBy, everything } from '../../src/drivers/switches/vlan-lists.ts';
import { type CliSample, cliSamples, readingOf } from '../support/switches/cli-samples.ts';
import { logLine, nestedLine, unknownLine } from '../support/switches/device-lines.ts';
import { effort, seed } from '../support/vitest/seed.ts';

/*
 * A reading that is narrower than what the port carries breaks isolation. Whatever else stands on a port, or falls into
 * the answer, the reading covers what is read without it, or there is no reading at all.
 */

const runs = { seed, numRuns: 400 * effort };

/** No reading, or one with every VLAN of this one in it. */
const covers = (reading: ShownPort | null, less: ShownPort): boolean => {
  if (reading === null || reading.tagged.length === everything.tagged.length) return true;
  const vlans = new Set(carriedBy(reading));
  return carriedBy(less).every((vlan) => vlans.has(vlan));
};
const plain = (sample: CliSample, block: readonly string[]): ShownPort => {
  const reading = readingOf(sample, sample.answers(block));
  if (!reading) throw new Error('the sample itself is not understood');
  return reading;
};
const insertedAt = <T>(list: readonly T[], at: number, ...items: readonly T[]): readonly T[] => [
  ...list.slice(0, at % (list.length + 1)),
  ...items,
  ...list.slice(at % (list.length + 1)),
];

describe.each(Object.entries(cliSamples))('a port of %s', (_, sample) => {
  const block = fc.constantFrom(...sample.blocks);

  it('is understood in the states that Corral sets, with what is harmless beside them', () => {
    for (const lines of sample.blocks) expect(plain(sample, lines)).not.toHaveProperty('unclear');
  });

  it('reads as no less with a line that nobody knows, wherever it stands', () => {
    fc.assert(
      fc.property(block, unknownLine, fc.nat(20), (lines, line, at) => {
        expect(covers(readingOf(sample, sample.answers(insertedAt(lines, at, line))), plain(sample, lines))).toBe(true);
      }),
      runs,
    );
  });

  it('reads as no less with a block inside its own, whatever that says', () => {
    const head = fc.oneof(unknownLine, fc.constantFrom('description node 8', 'mtu 9000'));
    const foreign = fc.constantFrom('switchport trunk allowed vlan none', 'switchport access vlan 7');
    const nested = fc.array(fc.oneof(nestedLine, foreign), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(block, head, nested, fc.nat(20), (lines, first, inside, at) => {
        const more = [first, ...inside.map((line) => ` ${line}`)];
        expect(covers(readingOf(sample, sample.answers(insertedAt(lines, at, ...more))), plain(sample, lines))).toBe(
          true,
        );
      }),
      runs,
    );
  });

  it('reads as no less, or not at all, if a log message falls into the answer, between lines or into one', () => {
    fc.assert(
      fc.property(block, logLine, fc.nat(5), fc.nat(40), fc.option(fc.nat(60)), (lines, message, which, at, column) => {
        const answers = [...sample.answers(lines)];
        const index = which % answers.length;
        const text = (answers[index] ?? '').split('\n');
        const row = at % text.length;
        const cut = column === null ? 0 : Math.min(column, text[row]?.length ?? 0);
        const parts = [text[row]?.slice(0, cut) ?? '', message, text[row]?.slice(cut) ?? ''];
        answers[index] = [...text.slice(0, row), ...(cut === 0 ? parts.slice(1) : parts), ...text.slice(row + 1)].join(
          '\n',
        );
        expect(covers(readingOf(sample, answers), plain(sample, lines))).toBe(true);
      }),
      runs,
    );
  });
});

describe('a port of vde_switch', () => {
  const answers = [
    "0000 DATA END WITH '.'\nPort 0001 untagged_vlan=0100 ACTIVE - Unnamed Allocatable\n IN:  pkts 5\n.\n1000 Success\n",
    "0000 DATA END WITH '.'\nVLAN 0100\n -- Port 0001 tagged=0 active=1\nVLAN 0300\n -- Port 0001 tagged=1 active=1\n.\n1000 Success\n",
  ];
  const sample: CliSample = { dialect: vde, port: '1', blocks: [[]], answers: () => answers };

  it('reads as no less, or not at all, if something falls into the answer', () => {
    fc.assert(
      fc.property(fc.oneof(logLine, unknownLine), fc.nat(1), fc.nat(12), (line, which, at) => {
        const text = (answers[which] ?? '').split('\n');
        const disturbed = answers.map((each, index) =>
          index === which ? insertedAt(text, at, line).join('\n') : each,
        );
        expect(covers(readingOf(sample, disturbed), plain(sample, []))).toBe(true);
      }),
      runs,
    );
  });

  it('that is untagged in a second VLAN reads as every VLAN', () => {
    const [ports = '', vlans = ''] = answers;
    const both = vlans.replace('VLAN 0300\n -- Port 0001 tagged=1', 'VLAN 0300\n -- Port 0001 tagged=0');
    expect(readingOf(sample, [ports, both])).toMatchObject({
      native: 1,
      unclear: expect.stringContaining('0001') as string,
    });
  });
});
