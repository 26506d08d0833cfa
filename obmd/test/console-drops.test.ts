import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { ConsoleHub } from '../src/core/console-hub.ts';

/** A line that is closed as soon as it was opened. */
const dropped = (): Duplex => {
  const line = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() });
  setImmediate(() => line.destroy());
  return line;
};

it('a BMC that takes the console and drops it at once is not asked for ever', async () => {
  let opened = 0;
  const hub = new ConsoleHub(
    () => {
      opened += 1;
      return Promise.resolve(dropped());
    },
    { lingerMs: 10, growth: { firstMs: 1, longestMs: 10 } },
  );
  const why = await new Promise<string>((resolve) => {
    void hub.attach({ send: () => true, end: resolve });
  });
  expect(why).toContain('does not reopen it');
  expect(opened).toBeLessThanOrEqual(8);
});
