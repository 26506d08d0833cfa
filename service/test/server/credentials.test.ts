import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { credentialsOf } from '../../src/server/identify-caller.ts';

const request = { method: 'GET', headers: { authorization: 'a' }, ip: '192.0.2.1' } as unknown as FastifyRequest;

it('credentials are what the request has', () => {
  const credentials = credentialsOf(request, true);
  expect([credentials.method, credentials.header('authorization'), credentials.header('x-none')]).toEqual([
    'GET',
    'a',
    undefined,
  ]);
  expect([credentials.address, credentials.isAskedAgain]).toEqual(['192.0.2.1', true]);
  expect(credentialsOf(request).isAskedAgain).toBeUndefined();
});

it('credentials are no object with getters of its own: V8 keeps the request of one until a full collection', () => {
  setFlagsFromString('--allow-natives-syntax');
  const isFast = runInThisContext('(object) => %HasFastProperties(object)') as (object: object) => boolean;
  expect(isFast(credentialsOf(request))).toBe(true);
});
