import { routes as obmdRoutes } from '@corral/obmd/server/obmd-routes';
import { expect, it } from 'vitest';
import { routeGroups } from '../service/src/server/routes/all-routes.ts';

const isParameter = (part: string): boolean => part.startsWith(':');

/** Is there a URL that is of both? */
const overlap = (one: string, other: string): boolean => {
  const [parts, others] = [one.split('/'), other.split('/')];
  if (parts.length !== others.length) return false;
  return parts.every((part, at) => part === others[at] || isParameter(part) || isParameter(others[at] ?? ''));
};

// Otherwise a call by a method that one of them does not have would be taken for a call on the other, not refused.
it.each([
  ['service', routeGroups.flatMap(({ routes }) => routes)],
  ['OBM daemon', obmdRoutes],
])('no URL of the %s is of two paths', (_, routes) => {
  const paths = [...new Set(routes.map(({ path }) => path))];
  const both = paths.flatMap((path, at) => paths.slice(at + 1).filter((other) => overlap(path, other)));
  expect(paths.length).toBeGreaterThan(5);
  expect(both).toEqual([]);
});
