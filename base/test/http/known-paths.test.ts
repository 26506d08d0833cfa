import { describe, expect, it } from 'vitest';
import { knownPaths } from '../../src/http/known-paths.ts';

describe('the path of a request', () => {
  const findPath = knownPaths([
    { method: 'PUT', path: '/v0/node/:node' },
    { method: 'DELETE', path: '/v0/node/:node' },
    { method: 'GET', path: '/v0/nodes' },
    { method: 'POST', path: '/v0/node/:node/power_on' },
  ]);
  const find = (url: string, method = 'PATCH') => findPath({ method, url });

  it.each([
    ['/v0/nodes', '/v0/nodes', 'GET'],
    ['/v0/nodes?free=1', '/v0/nodes', 'GET'],
    ['/v0/n%6fdes', '/v0/nodes', 'GET'],
    ['http://somewhere/v0/nodes', '/v0/nodes', 'GET'],
    ['/v0/node/n', '/v0/node/:node', 'DELETE, PUT'],
    ['/v0/node/a%2Fb', '/v0/node/:node', 'DELETE, PUT'],
    [`/v0/node/${'x'.repeat(10_000)}`, '/v0/node/:node', 'DELETE, PUT'],
    ['/v0/node/n/power_on?', '/v0/node/:node/power_on', 'POST'],
  ])('%s is found, with its methods', (url, path, allow) => expect(find(url)).toEqual({ path, allow }));

  it.each(['/', '', '/v0', '/v0/node', '/v0/nodes/', '/v0/node/n/', '/v0/node/%zz', '/v0/node/n/power_on/x', '*'])(
    '%s is of none',
    (url) => expect(find(url)).toBeNull(),
  );

  it('is found for the methods of calls only', () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect(find('/v0/nodes', method)).not.toBeNull();
    for (const method of ['PROPFIND', 'TRACE', 'get', '']) expect(find('/v0/nodes', method)).toBeNull();
  });
});
