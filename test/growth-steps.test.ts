import { expect, it } from 'vitest';
import { changeSteps } from '../bench/src/growth/change-steps.ts';
import { lastSteps, listSteps } from '../bench/src/growth/list-steps.ts';
import { routeGroups } from '../service/src/server/routes/all-routes.ts';

it('every call of the interface has a place in the benchmark of growth', () => {
  const placed = new Set([...listSteps, ...lastSteps, ...changeSteps].map(({ call }) => call));
  const calls = routeGroups
    .flatMap(({ routes }) => routes)
    .map(({ name }) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  expect(calls.length).toBeGreaterThan(80);
  expect(calls.filter((call) => !placed.has(call))).toEqual([]);
});
