import type { FastifyRequest } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import type { CorralError } from '../src/core/errors.ts';
import { notFound, unauthorized, unavailable } from '../src/core/errors.ts';
import type { App } from '../src/server/app-context.ts';
import { keepVigil } from '../src/server/vigil.ts';

/** A vigil over a caller whom the authenticator answers like this, asked once. */
const asked = async (answer: () => Promise<never>): Promise<AbortSignal> => {
  const ring: { current: () => void } = { current: () => undefined };
  const app = {
    auth: { authenticate: answer },
    db: { changes: { on: (_topic: string, look: () => void) => ((ring.current = look), () => undefined) } },
  } as unknown as App;
  const request = { headers: {}, method: 'GET', id: 'r' } as FastifyRequest;
  const { signal, end } = keepVigil(app, request, { access: 'user', effect: 'changes' }, () => Promise.resolve());
  onTestFinished(end);
  ring.current();
  await new Promise((resolve) => setImmediate(resolve));
  return signal;
};

it.each<[boolean, string, Error | CorralError]>([
  [true, 'is known no more', unauthorized('the token is revoked')],
  [true, 'has lost what is sent', notFound('there is no such node')],
  [false, 'cannot be asked for, because the provider is down', unavailable('Keystone does not answer')],
  [false, 'cannot be asked for, because the database is away', new Error('connection lost')],
])('ends (%s) what is sent to somebody who %s', async (isOver, _, error) => {
  const signal = await asked(() => Promise.reject(error));
  expect(signal.aborted).toBe(isOver);
});
