import { describe, expect, it } from 'vitest';
import type { SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { redactedSession, secretsIn } from '../../src/worker/redacted-session.ts';

const secret = 'correct horse';
const { signal } = new AbortController();
const fails = () => Promise.reject(new Error(`% Login invalid: ${secret}`));

/** A switch that repeats what it was sent, wherever it has something to say. */
const repeating: SwitchSession = {
  apply: (ports) => Promise.resolve(ports.map(({ port }) => ({ port, applied: false, reason: `no, ${secret}` }))),
  read: (ports) => Promise.resolve(ports.map((port) => ({ port, native: null, tagged: [], unclear: `x ${secret}` }))),
  readAll: () => Promise.resolve([{ port: 'p1', native: null, tagged: [], unclear: `x ${secret}` }]),
  close: () => Promise.resolve(),
};
const failing: Required<SwitchSession> = {
  ...{ apply: fails, read: fails, readAll: fails, drained: fails, identity: fails, save: fails },
  close: () => Promise.resolve(),
};

describe('a switch that repeats a password', () => {
  const port = { port: 'p1', native: null, tagged: [] };

  it('is reported without it: why it refuses, and what is not understood of a port', async () => {
    const session = redactedSession(repeating, [secret]);
    expect(await session.apply([port], signal)).toEqual([{ port: 'p1', applied: false, reason: 'no, [secret]' }]);
    expect(await session.read(['p1'], signal)).toEqual([{ ...port, unclear: 'x [secret]' }]);
    expect(await session.readAll?.(signal)).toEqual([{ ...port, unclear: 'x [secret]' }]);
  });

  it('is reported without it whatever fails', async () => {
    const session = redactedSession(failing, [secret]);
    const calls = [
      session.apply([port], signal),
      session.read(['p1'], signal),
      session.readAll?.(signal),
      session.drained?.(signal),
      session.identity?.(signal),
      session.save?.(signal),
    ];
    for (const call of calls) await expect(call).rejects.toThrow('% Login invalid: [secret]');
  });

  it('has its secrets in every field that may hold one, and in no other', () => {
    const secretFields = { password: 'a', enable_password: 'b', private_key: 'c', api_token: 'd', credential: 'e' };
    expect(secretsIn({ ...secretFields, hostname: 'sw1', port: 22 })).toEqual(Object.values(secretFields));
  });
});
