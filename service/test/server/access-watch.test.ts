import type { FastifyRequest } from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemCaller } from '../../src/core/caller.ts';
import type { CorralError } from '../../src/core/corral-error.ts';
import { notFound, unauthorized, unavailable } from '../../src/core/corral-error.ts';
import type { App } from '../../src/server/app-context.ts';
import { watchAccess } from '../../src/server/access-watch.ts';

/** An access watch over a caller whom the authenticator answers like this. */
const vigilOver = (answer: () => Promise<unknown>): { readonly signal: AbortSignal; readonly ring: () => void } => {
  const ring: { current: () => void } = { current: () => undefined };
  const app = {
    auth: { authenticate: answer },
    db: { changes: { on: (_topic: string, look: () => void) => ((ring.current = look), () => undefined) } },
  } as unknown as App;
  const request = { headers: {}, method: 'GET', id: 'r' } as FastifyRequest;
  const { signal, end } = watchAccess(app, request, { access: 'user', effect: 'changes' }, () => Promise.resolve());
  onTestFinished(end);
  return { signal, ring: () => ring.current() };
};

const asked = async (answer: () => Promise<never>): Promise<AbortSignal> => {
  const { signal, ring } = vigilOver(answer);
  ring();
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

it.each<[string, () => Promise<unknown>]>([
  ['fails', () => Promise.reject(new Error('connection lost'))],
  ['stays without an answer', () => new Promise(() => undefined)],
])('ends a stream when every check of its caller %s, after 30 seconds', async (_, answer) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { signal } = vigilOver(answer);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(signal.reason).toBe('your access could not be confirmed for 30 seconds; open it again');
});

it('continues when one check in forty is answered', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let questions = 0;
  const { signal } = vigilOver(() => {
    questions += 1;
    return questions % 40 === 0 ? Promise.resolve(systemCaller) : Promise.reject(new Error('connection lost'));
  });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(questions).toBe(800);
  expect(signal.aborted).toBe(false);
});
