import { describe, expect, it } from 'vitest';
import { growthOf, isLinear } from './support/growth.ts';
import { libvirtParsers, switchParsers } from './support/parsers/device-parsers.ts';
import { bmcParsers, documentParsers, identityParsers } from './support/parsers/other-parsers.ts';
import { type Parser, usualUnits } from './support/parsers/parser.ts';
import { requestParsers } from './support/parsers/request-parsers.ts';

const usualLength = 16 * 1024;
const everywhere: readonly (readonly [string, string])[] = [
  ['', ''],
  ['', '\u0001x'],
];

/** What takes too long of all that can be repeated, with how many times as long four times as much takes. */
const slowestOf = ({
  read,
  units = [],
  around = [],
  longest = usualLength,
  longestOwn = longest,
  isIndifferent = false,
}: Parser): readonly string[] => {
  const slow: string[] = [];
  for (const unit of isIndifferent ? units : [...units, ...usualUnits]) {
    if (slow.length > 2) return slow;
    for (const [before, after] of [...around, ...everywhere]) {
      const growth = growthOf(
        (length) => {
          const text = `${before}${unit.repeat(Math.ceil(length / unit.length))}${after}`;
          try {
            const answer: unknown = read(text);
            // What is refused later is refused all the same.
            if (answer instanceof Promise) answer.catch(() => undefined);
          } catch {
            // Refused is as good as read, if it is soon.
          }
        },
        units.includes(unit) ? longestOwn : longest,
      );
      if (!isLinear(growth)) slow.push(`${JSON.stringify([before, unit, after])}: ${growth.toFixed(1)} times as long`);
    }
  }
  return slow;
};

describe.each([
  ['requests', requestParsers],
  ['switches', switchParsers],
  ['libvirt', libvirtParsers],
  ['BMCs', bmcParsers],
  ['identity providers', identityParsers],
  ['documents', documentParsers],
] as const)('what is read of %s takes a time that is linear in its length', (_, parsers) => {
  it.each(parsers.map((parser) => [parser.name, parser] as const))('%s', (_name, parser) => {
    expect(slowestOf(parser)).toEqual([]);
  });
});
