import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followEvents } from '../src/follow-events.ts';
import type { Transport } from '../src/transport.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a stream that ends as soon as it was opened is opened ever less often', async () => {
  let opened = 0;
  const transport = {
    open: () => {
      opened += 1;
      return Promise.resolve(new Response(''));
    },
  } as unknown as Transport;
  const end = new AbortController();
  const reading = (async () => {
    for await (const event of followEvents(transport, { signal: end.signal })) expect(event).toBeUndefined();
  })();
  await vi.advanceTimersByTimeAsync(120_000);
  end.abort();
  await vi.advanceTimersByTimeAsync(30_000);
  await reading;
  // With the same pause each time there would be 120.
  expect(opened).toBeGreaterThan(5);
  expect(opened).toBeLessThan(15);
});
