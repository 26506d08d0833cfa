import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seed } from '../../service/test/support/vitest/seed.ts';
import { EscapeKeys } from '../src/cli/console/escape-keys.ts';

/** What is left of it for the machine, and what was asked for; in these pieces. */
const typed = (...pieces: readonly string[]) => {
  const keys = new EscapeKeys();
  const all = pieces.map((piece) => keys.typed(Buffer.from(piece, 'latin1')));
  return {
    bytes: Buffer.concat(all.map(({ bytes }) => bytes)).toString('latin1'),
    asked: all.flatMap(({ asked }) => asked),
  };
};

it('a tilde and a key at the beginning of a line are for us', () => {
  expect(typed('~.')).toEqual({ bytes: '', asked: ['leave'] });
  expect(typed('ls\r~', '?~w')).toEqual({ bytes: 'ls\r', asked: ['help', 'size'] });
  expect(typed('\n', '~', '.')).toEqual({ bytes: '\n', asked: ['leave'] });
});

it('everything else goes to the machine', () => {
  expect(typed('a~.')).toEqual({ bytes: 'a~.', asked: [] });
  expect(typed('~~.')).toEqual({ bytes: '~.', asked: [] });
  expect(typed('~', 'x')).toEqual({ bytes: '~x', asked: [] });
  expect(typed('\u0003\u0004\u00ff')).toEqual({ bytes: '\u0003\u0004\u00ff', asked: [] });
});

it('it does not matter in which pieces it comes', () => {
  const text = fc.array(fc.constantFrom('~', '.', '?', 'w', 'a', '\r', '\n', '\u00e9'), { maxLength: 30 });
  fc.assert(
    fc.property(text, (keys) => {
      expect(typed(...keys)).toEqual(typed(keys.join('')));
    }),
    { seed },
  );
});
