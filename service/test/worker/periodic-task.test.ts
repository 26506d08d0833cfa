import { expect, it } from 'vitest';
import { PeriodicTask } from '../../src/worker/periodic-task.ts';
import { eventually } from '../support/services/world.ts';

it('what is done every so often pauses after each turn, also after one that failed', async () => {
  const everyMs = 100;
  const turns: number[] = [];
  const failures: unknown[] = [];
  const rounds = new PeriodicTask(
    everyMs,
    () => {
      turns.push(performance.now());
      return turns.length % 2 === 0 ? Promise.reject(new Error('no')) : Promise.resolve();
    },
    (error) => failures.push(error),
  );
  rounds.start();
  await eventually(() => turns.length >= 4 || undefined);
  await rounds.stop();
  const [first = 0, ...others] = turns;
  for (const [index, turn] of others.entries()) expect(turn - first).toBeGreaterThan((index + 1) * everyMs * 0.9);
  expect(failures.length).toBeGreaterThan(0);
});
