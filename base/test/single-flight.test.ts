import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SingleFlight } from '../src/single-flight.ts';
import { SemaphoreTimeout, KeyedSemaphore } from '../src/keyed-semaphore.ts';

/** Asks that are answered when the test says so. */
const held = () => {
  const asked: { readonly answer: (value: number) => void; readonly fail: (error: Error) => void }[] = [];
  const ask = (): Promise<number> => new Promise((resolve, reject) => asked.push({ answer: resolve, fail: reject }));
  return { asked, ask };
};
const settle = (): Promise<void> => sleep(0);

it('those who come while a question is under way share the next answer, not that one', async () => {
  const answers = new SingleFlight();
  const { asked, ask } = held();
  const first = answers.run('q', ask);
  const later = [answers.run('q', ask), answers.run('q', ask), answers.run('q', ask)];
  expect(asked).toHaveLength(1);
  asked[0]?.answer(1);
  expect(await first).toBe(1);
  await settle();
  expect(asked).toHaveLength(2);
  const last = answers.run('q', ask);
  asked[1]?.answer(2);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
  await settle();
  asked[2]?.answer(3);
  expect(await last).toBe(3);
});

it('a question that fails keeps nobody from the next, and other questions are others', async () => {
  const answers = new SingleFlight();
  const { asked, ask } = held();
  const [first, second, other] = [answers.run('q', ask), answers.run('q', ask), answers.run('p', ask)];
  expect(asked).toHaveLength(2);
  asked[0]?.fail(new Error('no'));
  await expect(first).rejects.toThrow('no');
  await settle();
  asked[1]?.answer(7);
  asked[2]?.answer(8);
  expect([await second, await other]).toEqual([8, 7]);
});

it('so many of each are at work, the others wait in order, and those beyond the queue are refused', async () => {
  const turns = new KeyedSemaphore(1, 10_000);
  const done: number[] = [];
  const { asked, ask } = held();
  const run = (number: number) => turns.run('red', async () => void done.push(await ask(), number));
  const all = Array.from({ length: 17 }, (_, number) => run(number));
  await expect(run(17)).rejects.toThrow(SemaphoreTimeout);
  expect(await turns.run('blue', () => Promise.resolve('at once'))).toBe('at once');
  for (let number = 0; number < 17; number += 1) {
    expect(asked).toHaveLength(number + 1);
    asked[number]?.answer(100);
    await settle();
  }
  await Promise.all(all);
  expect(done.filter((number) => number < 100)).toEqual(Array.from({ length: 17 }, (_, number) => number));
});

it('a caller that waits too long is refused and never begins, and a failure passes its turn on', async () => {
  const turns = new KeyedSemaphore(1, 20);
  const { asked, ask } = held();
  const first = turns.run('red', ask);
  await expect(turns.run('red', ask)).rejects.toThrow(SemaphoreTimeout);
  expect(asked).toHaveLength(1);
  asked[0]?.fail(new Error('no'));
  await expect(first).rejects.toThrow('no');
  expect(await turns.run('red', () => Promise.resolve(5))).toBe(5);
});
